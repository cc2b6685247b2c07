import Envelope
public import NotificationCore

/// The way from a device to `sealedpushd`: what an app and its extension say to it without a key (docs/service.md).
///
///     let relay = try RelayClient("https://push.example.com")
///     try await device.report(to: relay)
///
/// One request over a connection of its own for each call. Redirects are not followed, and nothing is kept.
public struct RelayClient: Relay {
    let base: AttachmentURL
    private let text: String

    /// - Parameter url: the relay's address, a constant of the app: `https`, a host, a port if it is not 443, and a path
    ///   where a proxy wants one; without a query. 150 bytes at most.
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

    /// - Throws: `RelayClientError`; the relay may have counted them all the same, and counts none twice.
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

    /// - Throws: `RelayClientError`; the relay may have passed them on all the same.
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

    private func post(_ body: JSONWriter, to path: String) async throws(RelayClientError) {
        let answer = try await RelayExchange.run(body.bytes, to: text + path, host: base.host, port: base.port)
        guard answer.status == 204 else { throw .refused(status: answer.status) }
    }
}

/// What an answer says before its body.
struct AnswerHead: Sendable {
    let status: Int
    let date: String?
    /// Whether it has an `Age`, of whatever value.
    let isFromCache: Bool
}

/// Why a server has not taken something, or not answered. Says nothing of what was sent.
public enum RelayClientError: Error, Hashable, Sendable {
    /// The server's address is no `https` URL of the form above: a mistake in the app's constants.
    case url
    /// The task was cancelled.
    case cancelled
    /// No name, no route, no server, or too slow to connect.
    case notReached
    /// The server does not prove that it is the one that was asked for.
    case notTrusted
    /// The server's certificate is not valid yet, or no more, by the device's clock. Where the server keeps it valid, the clock
    /// is far off: tell the person.
    case certificateHasBadDate
    /// The connection ended before the answer, or nothing came for too long.
    case connectionLost
    /// The answer is not one of such a server's.
    case wrongAnswer
    /// The relay answered with another status than 204: 404 where the address is not a relay's, 413, 422 or 429 with a
    /// problem in its log, 503 while it stops.
    case refused(status: Int)
}
