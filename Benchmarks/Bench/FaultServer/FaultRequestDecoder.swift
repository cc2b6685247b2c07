import APNS
import APNSSimulator
import Transport

/// Reads requests out of a client's frames. A session that nobody hears: it undoes HPACK and checks the rules, and what it
/// would say is thrown away, because the fault server says everything itself.
struct FaultRequestDecoder: ~Copyable {
    struct Request {
        let streamID: Int32
        /// Nil: the request named no notification.
        let id: APNSID?
        /// Nil: it had no provider token, or one that cannot be read.
        let tokenIssuedAt: Int64?
    }

    private let session: HTTP2Session
    private var unsaid: ByteQueue
    /// The last token: most requests have the one of the request before.
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

    /// - Parameters:
    ///   - frame: HEADERS, CONTINUATION, DATA or RST_STREAM.
    ///   - now: what the session's clock says.
    /// - Returns: the requests that are complete with it.
    /// - Throws: what the client did wrong.
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
            // The session would keep it open for its answer, which it will never hear of.
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
