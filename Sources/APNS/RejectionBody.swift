/// The JSON body of an error answer: `{"reason":"…"}`, for a 410 also `"timestamp":…`.
///
/// - Source: "Handling notification responses from APNs", "Understand error codes".
public struct RejectionBody: Equatable, Sendable {
    /// A reason beyond this is not kept: the longest known one has 27.
    public static let reasonCharacterCountMax = 64

    /// `nil` for a reason that is not in our table; `reasonText` still has its words.
    public let reason: Reason?
    /// As it stood there: printable ASCII, 1 ... `reasonCharacterCountMax` characters.
    public let reasonText: String
    /// Milliseconds since 1970: when APNs last confirmed that the token was no longer valid for the topic.
    public let timestampMilliseconds: Int64?

    /// The body for `reason`; the timestamp is kept only where the status is 410.
    package init(_ reason: Reason, timestampMilliseconds: Int64? = nil) {
        self.reason = reason
        reasonText = reason.rawValue
        self.timestampMilliseconds = reason.hasTimestamp ? timestampMilliseconds : nil
    }

    /// What somebody else wrote; `nil` unless the reason is presentable.
    package init?(reasonText: String, timestampMilliseconds: Int64?) {
        guard (1...Self.reasonCharacterCountMax).contains(reasonText.utf8.count) else { return nil }
        // No quote and no backslash: neither a terminal nor `json` has anything to escape.
        guard reasonText.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else { return nil }
        reason = Reason(rawValue: reasonText)
        self.reasonText = reasonText
        self.timestampMilliseconds = timestampMilliseconds
    }

    /// Whether a 410 proves that the app is gone for a token that was registered at `registeredAtMilliseconds`.
    ///
    /// APNs answers late: a person may have put the app back since, and the same token is good again. So a token goes only
    /// when it was not registered after the answer's timestamp; an answer without one proves nothing.
    ///
    /// - Parameter registeredAtMilliseconds: when the app last handed the token to you, in milliseconds since 1970.
    /// - Returns: true when the token should be deleted.
    /// - Source: "Handling notification responses from APNs", `timestamp`.
    public func provesGone(registeredAtMilliseconds: Int64) -> Bool {
        guard let timestampMilliseconds, reason?.hasTimestamp ?? true else { return false }
        return timestampMilliseconds >= registeredAtMilliseconds
    }

    /// The bytes that APNs sends.
    package var json: [UInt8] {
        guard let timestampMilliseconds else { return Array(#"{"reason":"\#(reasonText)"}"#.utf8) }
        return Array(#"{"reason":"\#(reasonText)","timestamp":\#(timestampMilliseconds)}"#.utf8)
    }
}
