private import Envelope
private import Primitives

/// Number that two people compare to exclude a third in the middle: 60 digits, the same on both sides.
///
/// The raw Ed25519 keys are those pinned: one person's sender key SK, the other's device identity IK. Two people who
/// both send and receive have two numbers.
///
/// Each key has 30 digits. A joint hash would be a birthday target: whoever is in the middle chooses both sides' keys
/// and needs only the square root of the tries (protocol v1, rule 14).
public struct SafetyNumber: Hashable, Sendable {
    package static let groupDigitCount = 5
    /// Groups per key.
    private static let keyGroupCount = 6
    /// SHA-512 calls per key, the cost of an attacker's try.
    private static let hashCount = 5_200

    /// Twelve groups of five decimal digits.
    public let groups: [String]

    /// Costs 10,400 hashes, some milliseconds, on purpose. The order of keys does not matter.
    ///
    /// - Source: docs/protocol.md, "Safety number".
    public init<One, Other>(_ one: VerifyingKey<One>, _ other: VerifyingKey<Other>) {
        let numbers = [Self.groups(of: one.rawRepresentation), Self.groups(of: other.rawRepresentation)]
        // Groups have one width, so strings sort as numbers.
        groups = numbers[0].lexicographicallyPrecedes(numbers[1]) ? numbers[0] + numbers[1] : numbers[1] + numbers[0]
    }

    /// Groups separated by spaces: 71 characters.
    public var text: String { groups.joined(separator: " ") }

    /// fp(K): D = SHA-512(LP("SealedPush/1 safety") ‖ K), then 5,199 times D = SHA-512(D ‖ K); six groups of
    /// u40(D[5i..<5i+5]) mod 100000.
    static func groups(of key: [UInt8]) -> [String] {
        var digest = SHA512.hash(Binding.context(safetyContext), key)
        for _ in 1..<hashCount { digest = SHA512.hash(digest, key) }
        return (0..<keyGroupCount).map { index in
            let number = digest[5 * index..<5 * index + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let digits = String(number % 100_000)
            return String(repeating: "0", count: groupDigitCount - digits.count) + digits
        }
    }

    static let safetyContext = "SealedPush/1 safety"
}
