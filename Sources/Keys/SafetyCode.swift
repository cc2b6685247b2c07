private import Envelope

/// What a safety number stands for, for cameras: both keys whole, as the text of a QR code.
///
///     base64url( "SPS1" ‖ min(K1, K2) ‖ max(K1, K2) )          91 characters
///
/// Both sides make the same text. There is no shorter form (protocol v1, rule 14).
public struct SafetyCode: Hashable, Sendable {
    private static let mark = Array("SPS1".utf8)
    private static let keyByteCount = 32
    /// 68 bytes in base64url.
    private static let characterCount = 91

    private let smaller: [UInt8]
    private let larger: [UInt8]

    /// - Parameters:
    ///   - one: what one side pinned (`SafetyNumber` says which keys).
    ///   - other: what the other side pinned; which is named first makes no difference.
    public init<One, Other>(_ one: VerifyingKey<One>, _ other: VerifyingKey<Other>) {
        let keys = [one.rawRepresentation, other.rawRepresentation]
        let isInOrder = keys[0].lexicographicallyPrecedes(keys[1])
        (smaller, larger) = isInOrder ? (keys[0], keys[1]) : (keys[1], keys[0])
    }

    /// What the QR code holds.
    public var text: String { Base64URL.string(Self.mark + smaller + larger) }

    /// What comes of comparing with a code that was scanned from the other side's screen.
    public enum Verdict: Equatable, Sendable {
        /// The same two keys on both sides.
        case match
        /// A safety code, of other keys: somebody may be in between. Say so loudly.
        case mismatch
        /// Not a safety code of this version; nothing was compared.
        case notACode
    }

    /// Compares a scanned text. It is a stranger's: any text is taken, and only the one canonical form of two keys is a
    /// code.
    ///
    /// - Parameter scanned: what the camera read, unchanged.
    /// - Returns: a match only for the very same two keys.
    public func compare(scanned: String) -> Verdict {
        guard let keys = Self.keys(in: scanned) else { return .notACode }
        return keys == [smaller, larger] ? .match : .mismatch
    }

    /// The keys in their order; nil for anything but a canonical code.
    private static func keys(in text: String) -> [[UInt8]]? {
        // The length first: a text may be of any size, and counting stops early.
        guard text.utf8.prefix(characterCount + 1).count == characterCount,
            let bytes = Base64URL.decode(Array(text.utf8)), bytes.starts(with: mark)
        else { return nil }
        let smaller = Array(bytes[mark.count..<mark.count + keyByteCount])
        let larger = Array(bytes[(mark.count + keyByteCount)...])
        return larger.lexicographicallyPrecedes(smaller) ? nil : [smaller, larger]
    }
}
