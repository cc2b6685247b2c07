/// Sender's claim of a file's type, such as "image/jpeg".
public struct MediaType: Hashable, Sendable {
    /// The longest text, in bytes.
    public static let byteCountMax = 64

    /// Type, slash, subtype.
    public let text: String

    /// Parses two names with a slash between.
    ///
    /// - Source: RFC 6838 section 4.2, `restricted-name`, in lower case.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.byteCountMax else { return nil }
        let names = Array(text.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(Self.isRestrictedName) else { return nil }
        self.text = text
    }

    private static func isRestrictedName(_ name: ArraySlice<UInt8>) -> Bool {
        guard let first = name.first, isLetterOrDigit(first) else { return false }
        return name.allSatisfy { isLetterOrDigit($0) || "!#$&-^_.+".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
