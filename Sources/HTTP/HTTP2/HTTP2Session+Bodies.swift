import CNGHTTP2
import Networking

extension HTTP2Session {
    func keepBody(_ slot: Int, _ bytes: UnsafeBufferPointer<UInt8>, _ budget: HTTPBodyBudget) {
        guard let fault = unsafe streams[slot].bodyBuffer.append(bytes, budget) else { return }
        report(.bodyRefused(slot: slot, fault))
    }

    /// Returns the fault if bytes received with the head are discarded.
    func keepBody(_ slot: Int, byteCountMax: Int, _ share: HTTPBodyShare) -> HTTPBodyError? {
        guard let bodyBudget else { return nil }
        return streams[slot].bodyBuffer.keep(byteCountMax: byteCountMax, share, bodyBudget)
    }

    /// Moves the body out. Its memory counts until `discardBody`.
    func takeBody(_ slot: Int) -> [UInt8] { streams[slot].bodyBuffer.take() }

    func bodyByteCount(_ slot: Int) -> Int { streams[slot].bodyBuffer.byteCount }

    func discardBody(_ slot: Int) {
        guard let bodyBudget else { return }
        streams[slot].bodyBuffer.discard(bodyBudget)
    }

    func discardBodies() {
        for slot in streams.indices { discardBody(slot) }
    }

    /// Sends 100 Continue (RFC 9110 section 10.1.1).
    func submitContinue(_ slot: Int) throws(HTTP2Error) {
        let id = streams[slot].id
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        let code = unsafe nghttp2_submit_headers(handle, flags, id, nil, nil, 0, nil)
        try Self.check("submit_headers", code)
        streams[slot].isInterimUnwritten = true
    }
}
