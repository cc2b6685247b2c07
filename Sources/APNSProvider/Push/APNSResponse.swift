public import APNS
import HTTP

/// APNs' answer to a push. A refusal is an answer, not an error.
public struct APNSResponse: Sendable, Equatable {
    /// Push's acceptance.
    public enum Outcome: Sendable, Equatable {
        /// Accepted for delivery, which is no proof of arrival.
        case accepted
        /// `nil` if the body could not be read; the status still counts.
        case rejected(RejectionBody?)
    }

    /// `apns-id` that the push was sent with.
    public let id: APNSID
    /// HTTP status.
    public let status: Int
    /// Acceptance or refusal.
    public let outcome: Outcome
    /// `apns-unique-id`, the push's name in Apple's delivery log; from the sandbox only.
    public let uniqueID: String?
    /// Attempts; nearly always 1.
    public let attemptCount: Int
    /// True if an attempt without an answer was resent with the same `apns-id`; the device may have received both.
    public let isMaybeDuplicate: Bool
    /// True if APNs answered with another `apns-id`. Never seen; do not trust it.
    public let hasForeignID: Bool

    /// Reason of a refusal, if known.
    public var reason: Reason? {
        guard case .rejected(let body) = outcome else { return nil }
        return body?.reason
    }

    /// Consequences of the answer.
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

    /// True if `echo` is a different id; nearly always the same text, not parsed.
    private static func isForeign(_ echo: ArraySlice<UInt8>, to id: APNSID) -> Bool {
        guard !id.isSpelled(echo.span) else { return false }
        return APNSID(text: echo.span, acceptsUpperCase: true).map { $0 != id } ?? false
    }

    /// 64 printable ASCII characters at most, because it is logged.
    private static func presentable(_ value: ArraySlice<UInt8>) -> String? {
        guard (1...64).contains(value.count), value.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }
}
