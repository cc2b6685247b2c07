private import Envelope
private import Primitives

/// The number that two people read to each other to be sure that nobody sits between them: 60 digits, the same on both
/// sides, whichever key is named first.
///
/// The two keys are what the two sides pin of each other: one person's sender key SK, which devices pin, and the other
/// person's device identity IK, which senders pin. Both are raw Ed25519 keys. A person with both a sender key and a
/// device has two relations to another one, and so two numbers.
///
/// Each key has 30 digits of its own. A hash over both keys together would be a birthday target: somebody in the middle
/// chooses the keys of both sides, and needs only the square root of the tries (protocol v1, rule 14).
public struct SafetyNumber: Hashable, Sendable {
    /// Digits in one group.
    package static let groupDigitCount = 5
    /// Groups that stand for one key.
    private static let keyGroupCount = 6
    /// SHA-512 in all for one key, so that each try of an attacker costs as much.
    private static let hashCount = 5_200

    /// Twelve groups of five decimal digits.
    public let groups: [String]

    /// Costs 10,400 hashes, some milliseconds, on purpose.
    ///
    /// - Parameters:
    ///   - one: what one side pinned.
    ///   - other: what the other side pinned; which is named first makes no difference.
    /// - Source: docs/protocol.md, "Safety number".
    public init<One, Other>(_ one: VerifyingKey<One>, _ other: VerifyingKey<Other>) {
        let numbers = [Self.groups(of: one.rawRepresentation), Self.groups(of: other.rawRepresentation)]
        // All groups have the same width: as decimal strings and group by group the order is the same.
        groups = numbers[0].lexicographicallyPrecedes(numbers[1]) ? numbers[0] + numbers[1] : numbers[1] + numbers[0]
    }

    /// The groups with a space between each two: 71 characters.
    public var text: String { groups.joined(separator: " ") }

    /// fp(K): D = SHA-512(LP("SealedPush/1 safety") ‖ K), then 5,199 times D = SHA-512(D ‖ K); six groups of
    /// u40(D[5i..<5i+5]) mod 100000.
    ///
    /// - Parameter key: 32 bytes.
    /// - Returns: six groups of five digits.
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
