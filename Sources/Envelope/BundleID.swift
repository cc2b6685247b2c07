/// App's bundle id, 1 to 155 bytes.
///
/// Configured, never looked up: `Bundle.main.bundleIdentifier` in the service extension is the extension's own, and
/// VoIP topics have a suffix.
public struct BundleID: Equatable, Hashable, Sendable {
    static let byteCountMax = 155

    /// UTF-8, compared without Unicode equivalence.
    package let bytes: [UInt8]

    /// - Throws: `BundleIDError`.
    public init(_ text: String) throws(BundleIDError) {
        try self.init(bytes: Array(text.utf8))
    }

    package init(bytes: [UInt8]) throws(BundleIDError) {
        guard !bytes.isEmpty, bytes.count <= Self.byteCountMax else {
            throw .wrongLength(byteCount: bytes.count, byteCountMax: Self.byteCountMax)
        }
        // Apple, "CFBundleIdentifier".
        let isBundleID = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isBundleID else { throw .notABundleID }
        self.bytes = bytes
    }

    /// - Parameter bytes: of a topic that was made from a bundle id.
    package init(checked bytes: [UInt8]) { self.bytes = bytes }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }

    /// Bundle id as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Errors of a bundle id.
public enum BundleIDError: Error, Equatable {
    /// Empty, or longer than 155 bytes.
    case wrongLength(byteCount: Int, byteCountMax: Int)
    /// Character other than letters, digits, hyphen and period.
    case notABundleID
}
