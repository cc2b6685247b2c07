public import APNS
import Transport

/// What APNs answered. A refusal is an answer, not an error: the table of what to do next begins with its reason.
public struct APNSResponse: Sendable, Equatable {
    /// Whether APNs took the push.
    public enum Outcome: Sendable, Equatable {
        /// Taken for delivery. Nothing says that it arrived.
        case accepted
        /// `nil` when the body could not be read; the status still counts.
        case rejected(RejectionBody?)
    }

    /// The push's own `apns-id`, the one it was sent with.
    public let id: APNSID
    /// HTTP's.
    public let status: Int
    /// What it means.
    public let outcome: Outcome
    /// Apple's name for the push in its delivery log: `apns-unique-id`, from the sandbox only.
    public let uniqueID: String?
    /// How often the push was sent; 1 for nearly all.
    public let attemptCount: Int
    /// An earlier attempt ended without an answer and was repeated with the same `apns-id`: the device may have been told
    /// twice.
    public let isMaybeDuplicate: Bool
    /// APNs answered with another `apns-id` than it was asked with. Never seen; whoever does should not trust the answer.
    public let hasForeignID: Bool

    /// The reason, if it is a refusal with one that we know.
    public var reason: Reason? {
        guard case .rejected(let body) = outcome else { return nil }
        return body?.reason
    }

    /// What to do with the push, its device token, and the credential.
    public var disposition: Disposition { Disposition(status: status, reason: reason) }
}

extension APNSResponse {
    init(_ response: HTTP2Response, to id: APNSID, attemptCount: Int, isMaybeDuplicate: Bool) {
        self.id = id
        status = response.status
        outcome = response.status == 200 ? .accepted : .rejected(RejectionBody(json: response.body))
        uniqueID = response.headers["apns-unique-id"].flatMap(Self.presentable)
        self.attemptCount = attemptCount
        self.isMaybeDuplicate = isMaybeDuplicate
        hasForeignID = response.headers[HeaderName.id].map { Self.isForeign($0, to: id) } ?? false
    }

    /// Whether `echo` is an id, and another one. Nearly always it is the same text, and is not read.
    private static func isForeign(_ echo: ArraySlice<UInt8>, to id: APNSID) -> Bool {
        guard !id.isSpelled(echo.span) else { return false }
        return APNSID(text: echo.span, acceptsUpperCase: true).map { $0 != id } ?? false
    }

    /// 64 printable ASCII characters at most: it is for a log.
    private static func presentable(_ value: ArraySlice<UInt8>) -> String? {
        guard (1...64).contains(value.count), value.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }
}
