private import Envelope

/// QR code text with both keys of a safety number.
///
///     base64url( "SPS1" ‖ min(K1, K2) ‖ max(K1, K2) )          91 characters
///
/// Both sides make the same. There is no shorter form (protocol v1, rule 14).
public struct SafetyCode: Hashable, Sendable {
    private static let mark = Array("SPS1".utf8)
    private static let keyByteCount = 32
    /// 68 bytes in base64url.
    private static let characterCount = 91

    private let smaller: [UInt8]
    private let larger: [UInt8]

    /// Creates a code of `SafetyNumber`'s keys, in either order.
    public init<One, Other>(_ one: VerifyingKey<One>, _ other: VerifyingKey<Other>) {
        let keys = [one.rawRepresentation, other.rawRepresentation]
        let isInOrder = keys[0].lexicographicallyPrecedes(keys[1])
        (smaller, larger) = isInOrder ? (keys[0], keys[1]) : (keys[1], keys[0])
    }

    /// QR code text.
    public var text: String { Base64URL.string(Self.mark + smaller + larger) }

    /// Result of comparing codes.
    public enum Verdict: Equatable, Sendable {
        /// Same two keys.
        case match
        /// Other keys: a third party may be in between. Warn loudly.
        case mismatch
        /// No safety code of this version; nothing was compared.
        case notACode
    }

    /// Compares untrusted text; only the canonical form of two keys is a code.
    public func compare(scanned: String) -> Verdict {
        guard let keys = Self.keys(in: scanned) else { return .notACode }
        return keys == [smaller, larger] ? .match : .mismatch
    }

    /// Nil for anything but a canonical code.
    private static func keys(in text: String) -> [[UInt8]]? {
        // Length first, to bound the work.
        guard text.utf8.prefix(characterCount + 1).count == characterCount,
            let bytes = Base64URL.decode(Array(text.utf8)), bytes.starts(with: mark)
        else { return nil }
        let smaller = Array(bytes[mark.count..<mark.count + keyByteCount])
        let larger = Array(bytes[(mark.count + keyByteCount)...])
        return larger.lexicographicallyPrecedes(smaller) ? nil : [smaller, larger]
    }
}
