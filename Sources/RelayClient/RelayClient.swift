import Envelope
public import NotificationCore

/// Client of `sealedpushd` for an app and its extension, which need no key (docs/service.md).
///
///     let relay = try RelayClient("https://push.example.com")
///     try await device.report(to: relay)
///
/// Each call is one request on its own connection. Redirects are not followed, and nothing is kept.
public struct RelayClient: Relay {
    let base: AttachmentURL
    private let text: String

    /// - Parameter url: relay's address, a constant of the app: `https`, a host, optionally a port and a proxy's
    ///   path; no query. 150 bytes at most.
    /// - Throws: `RelayClientError.url`.
    public init(_ url: String) throws(RelayClientError) {
        let text = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard text.utf8.count <= 150, !text.contains("?"), let base = AttachmentURL(text + Self.receiptsPath) else {
            throw .url
        }
        self.base = base
        self.text = text
    }

    private static let receiptsPath = "/v1/receipts"
    private static let resendsPath = "/v1/resends"
    private static let recordsPath = "/v1/records/"

    /// Sends receipts.
    ///
    /// - Throws: `RelayClientError`; the relay may have counted them, and counts none twice.
    public func send(_ receipts: [DeliveryReceipt]) async throws(RelayClientError) {
        var body = JSONWriter()
        body.object { body in
            body.name("receipts")
            body.array { body in
                for receipt in receipts {
                    body.object { body in
                        body.member("capability", receipt.capability.text)
                        body.member("code", receipt.code.word)
                    }
                }
            }
        }
        try await post(body, to: Self.receiptsPath)
    }

    /// Asks for re-sends.
    ///
    /// - Throws: `RelayClientError`; the relay may have passed the requests on.
    public func requestResends(_ requests: [ResendRequest]) async throws(RelayClientError) {
        var body = JSONWriter()
        body.object { body in
            body.name("resends")
            body.array { body in
                for request in requests {
                    body.object { body in
                        body.member("trace", request.trace.text)
                        body.member("prekey-id", request.prekeyID)
                    }
                }
            }
        }
        try await post(body, to: Self.resendsPath)
    }

    /// Fetches a server's message that was too long for its push.
    ///
    /// - Throws: `RelayClientError`.
    public func record(_ name: String) async throws(RelayClientError) -> [UInt8]? {
        let answer = try await exchange(RelayRequest(.get), Self.recordsPath + name)
        switch answer.status {
        case 200: return answer.body
        case 404: return nil
        default: throw .refused(status: answer.status)
        }
    }

    private func post(_ body: JSONWriter, to path: String) async throws(RelayClientError) {
        let answer = try await exchange(RelayRequest(.post, json: body.bytes), path)
        guard answer.status == 204 else { throw .refused(status: answer.status) }
    }

    func exchange(_ request: RelayRequest, _ path: String) async throws(RelayClientError) -> RelayAnswer {
        try await RelayExchange.run(request, to: text + path, host: base.host, port: base.port)
    }
}

struct RelayRequest: Sendable {
    enum Method: String {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case delete = "DELETE"
    }

    static let answerByteCountMax = 64 << 10

    let method: Method
    let json: [UInt8]?
    let authorization: String?

    init(_ method: Method, json: [UInt8]? = nil, authorization: String? = nil) {
        self.method = method
        self.json = json
        self.authorization = authorization
    }
}

struct RelayAnswer: Sendable {
    let status: Int
    /// `RelayRequest.answerByteCountMax` at most.
    let body: [UInt8]
    let date: String?
    /// True if there is an `Age`.
    let isFromCache: Bool
}

/// Reason why a request failed, without its contents.
public enum RelayClientError: Error, Hashable, Sendable {
    /// Malformed URL: a mistake in the app's constants.
    case url
    /// Cancelled task.
    case cancelled
    /// No name, route or server, or too slow to connect.
    case notReached
    /// Untrusted certificate.
    case notTrusted
    /// Certificate expired or not valid yet, by the device's clock. If the server keeps it valid, the clock is
    /// far off: tell the person.
    case certificateHasBadDate
    /// Connection ended before the answer, or stalled.
    case connectionLost
    /// Malformed answer.
    case wrongAnswer
    /// Status other than 204: 404 if the address is no relay's, 413, 422 or 429 with a problem in its log, 503 while it
    /// stops.
    case refused(status: Int)
}
