import APNS
import APNSSimulator
import HTTP
import Networking

/// Reads requests from a client's frames. Its session decodes HPACK and checks the rules; the session's own output is
/// dropped, because the fault server writes everything itself.
struct FaultRequestDecoder: ~Copyable {
    struct Request {
        let streamID: Int32
        /// Nil if the request named no notification.
        let id: APNSID?
        /// Nil without a readable provider token.
        let tokenIssuedAt: Int64?
    }

    private let session: HTTP2Session
    private var unsaid: ByteQueue
    /// The last token: most requests repeat it.
    private var token: (text: [UInt8], issuedAt: Int64?) = ([], nil)

    init(now: MonotonicTime) throws(HTTP2Error) {
        var settings = HTTP2Settings()
        settings.maxConcurrentStreams = 1 << 20
        settings.resets = FloodLimit(burst: 1 << 20, perSecond: 1 << 20)
        settings.idleFrames = settings.resets
        let session = try HTTP2Session(role: .server, settings: settings, now: now)
        let greeting = FaultFrameReader.preface + FaultFrame.settings([]).bytes
        try session.receive(greeting.span, now: now)
        var unsaid = ByteQueue()
        try session.send(into: &unsaid, byteCountMax: .max)
        let acknowledgement = FaultFrame.settingsAcknowledgement.bytes
        try session.receive(acknowledgement.span, now: now)
        self.session = session
        self.unsaid = ByteQueue()
    }

    /// - Parameter frame: HEADERS, CONTINUATION, DATA or RST_STREAM.
    /// - Returns: The requests completed by it.
    /// - Throws: The client's violation.
    mutating func decode(_ frame: FaultFrame, now: MonotonicTime) throws(HTTP2Error) -> [Request] {
        let bytes = frame.bytes
        try session.receive(bytes.span, now: now)
        var requests: [Request] = []
        while let event = session.nextEvent() {
            guard case .message(let slot) = event else { continue }
            let headers = session.takeMessage(slot).headers
            let id = headers[HeaderName.id].flatMap { APNSID(text: $0.span, acceptsUpperCase: true) }
            let issuedAt = headers[HeaderName.authorization].flatMap { tokenIssuedAt($0) }
            requests.append(Request(streamID: session.streamID(slot), id: id, tokenIssuedAt: issuedAt))
            // The session would keep it open for its answer, which it never sees.
            try session.reset(slot, code: 0)
        }
        try session.send(into: &unsaid, byteCountMax: .max)
        defer { unsaid.removeAll() }
        while session.nextEvent() != nil {}
        guard session.isAlive else { throw .library(call: "session_mem_recv", code: 0) }
        return requests
    }

    private mutating func tokenIssuedAt(_ field: ArraySlice<UInt8>) -> Int64? {
        if !field.elementsEqual(token.text) {
            let text = field.dropFirst("bearer ".utf8.count)
            token = (Array(field), BearerToken(text: text, profile: .spec)?.issuedAt)
        }
        return token.issuedAt
    }
}
