/// JSON body of an error answer: `{"reason":"…"}`, for a 410 also `"timestamp":…`.
///
/// - Source: "Handling notification responses from APNs", "Understand error codes".
public struct RejectionBody: Equatable, Sendable {
    /// Longest reason that is kept; the longest known one has 27.
    public static let reasonCharacterCountMax = 64

    /// `nil` for an unknown reason, whose text is in `reasonText`.
    public let reason: Reason?
    /// Original text: printable ASCII, 1 ... `reasonCharacterCountMax` characters.
    public let reasonText: String
    /// Time at which APNs last confirmed the token invalid for the topic, in milliseconds since 1970.
    public let timestampMilliseconds: Int64?

    /// Keeps the timestamp only if the status is 410.
    package init(_ reason: Reason, timestampMilliseconds: Int64? = nil) {
        self.reason = reason
        reasonText = reason.rawValue
        self.timestampMilliseconds = reason.hasTimestamp ? timestampMilliseconds : nil
    }

    /// Reads a peer's body; `nil` unless the reason is presentable.
    package init?(reasonText: String, timestampMilliseconds: Int64?) {
        guard (1...Self.reasonCharacterCountMax).contains(reasonText.utf8.count) else { return nil }
        // Without quote and backslash, neither a terminal nor `json` needs escaping.
        guard reasonText.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else { return nil }
        reason = Reason(rawValue: reasonText)
        self.reasonText = reasonText
        self.timestampMilliseconds = timestampMilliseconds
    }

    /// Tells if a 410 proves that the app is gone.
    ///
    /// APNs answers late: the app may be installed again since, with the same token. So only a token not registered
    /// after the answer's timestamp is dead; without a timestamp nothing is proved.
    ///
    /// - Parameter registeredAtMilliseconds: token's last registration, in milliseconds since 1970.
    /// - Returns: true when the token should be deleted.
    /// - Source: "Handling notification responses from APNs", `timestamp`.
    public func provesGone(registeredAtMilliseconds: Int64) -> Bool {
        guard let timestampMilliseconds, reason?.hasTimestamp ?? true else { return false }
        return timestampMilliseconds >= registeredAtMilliseconds
    }

    package var json: [UInt8] {
        guard let timestampMilliseconds else { return Array(#"{"reason":"\#(reasonText)"}"#.utf8) }
        return Array(#"{"reason":"\#(reasonText)","timestamp":\#(timestampMilliseconds)}"#.utf8)
    }
}
