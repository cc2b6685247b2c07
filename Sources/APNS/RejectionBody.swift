/// The JSON body of an error answer: `{"reason":"…"}`, for a 410 also `"timestamp":…`.
///
/// - Source: "Handling notification responses from APNs", "Understand error codes".
package struct RejectionBody: Equatable, Sendable {
    /// A body beyond this is not read: Apple's are below 80 bytes.
    package static let byteCountMax = 1024
    /// A reason beyond this is not kept: the longest known one has 27.
    package static let reasonCharacterCountMax = 64

    /// `nil` for a reason that is not in our table; `reasonText` still has its words.
    package let reason: Reason?
    /// As it stood there: printable ASCII, 1 ... `reasonCharacterCountMax` characters.
    package let reasonText: String
    /// Milliseconds since 1970: when APNs last confirmed that the token was no longer valid for the topic.
    package let timestampMilliseconds: Int64?

    /// The body for `reason`; the timestamp is kept only where the status is 410.
    package init(_ reason: Reason, timestampMilliseconds: Int64? = nil) {
        self.reason = reason
        reasonText = reason.rawValue
        self.timestampMilliseconds = reason.hasTimestamp ? timestampMilliseconds : nil
    }

    /// Reads an error body, or the debug data of a GOAWAY.
    ///
    /// - Returns: `nil` unless it is one JSON object of at most `byteCountMax` bytes with a presentable `reason`.
    package init?(json: [UInt8]) {
        guard json.count <= Self.byteCountMax, let object = FlatJSON(json) else { return nil }
        guard case .string(let text) = object["reason"] else { return nil }
        guard (1...Self.reasonCharacterCountMax).contains(text.utf8.count) else { return nil }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        reason = Reason(rawValue: text)
        reasonText = text
        if case .integer(let milliseconds) = object["timestamp"] {
            timestampMilliseconds = milliseconds
        } else {
            timestampMilliseconds = nil
        }
    }

    /// The bytes that APNs sends. Needs no escaping: our own reasons are plain letters.
    package var json: [UInt8] {
        guard let timestampMilliseconds else { return Array(#"{"reason":"\#(reasonText)"}"#.utf8) }
        return Array(#"{"reason":"\#(reasonText)","timestamp":\#(timestampMilliseconds)}"#.utf8)
    }
}
