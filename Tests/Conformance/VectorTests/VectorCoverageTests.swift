import Testing
import VectorKit

/// Required subjects of the vectors.
struct VectorCoverageTests {
    /// docs/protocol.md, section 13; a device has `keys-unavailable` by itself, not by a push.
    private static let outcomes = [
        "opened", "not-sealed", "malformed", "unsupported", "unknown-key", "stale-key", "locked", "unverified-sender",
        "expired", "clock-untrusted", "too-old", "replay", "store-unavailable", "not-permitted", "superseded",
        "unauthenticated",
    ]
    /// Section 3.
    private static let refusals = [
        "valid", "malformed", "unsupported-version", "unsupported-suite", "other-identity", "other-topic",
        "bad-signature", "rolled-back", "equivocation", "suite-downgrade", "validity-too-long", "not-yet-valid",
        "expired", "low-order-prekey",
    ]
    /// Cases of the envelope, its keys and its parsers that bytes cannot show: they are about random sources, counters,
    /// processes and memory, about HPKE modes that no message uses, or about the display. Tests stand for them
    /// (Tests/Conformance/Vectors/abuse-cases.md).
    private static let notAboutBytes: Set<Int> = [20, 32, 33, 36, 37, 39, 40, 42]

    private func expectations(kind: String) throws -> Set<String> {
        Set(try CommittedVectors.load().filter { $0.value("kind") == kind }.flatMap { $0.values("expect") })
    }

    @Test func `every outcome of a push has a vector`() throws {
        #expect(try expectations(kind: "message") == Set(Self.outcomes))
    }

    @Test func `every refusal of a bundle has a vector`() throws {
        #expect(try expectations(kind: "bundle") == Set(Self.refusals))
    }

    /// Section 22.
    @Test func `every outcome of a sender's announcement has a vector`() throws {
        let outcomes = [
            "replaced", "revoked", "unchanged", "unsupported", "malformed", "other-topic", "bad-signature", "not-yet",
            "given-up", "other-successor",
        ]
        #expect(try expectations(kind: "announcement") == Set(outcomes))
    }

    /// Section 21.
    @Test func `every outcome of an attachment has a vector`() throws {
        let outcomes = ["opened", "truncated", "too-long", "wrong-key", "damaged", "wrong-padding"]
        #expect(try expectations(kind: "attachment") == Set(outcomes))
    }

    @Test func `every abuse case of the protocol has a vector, unless bytes cannot show it`() throws {
        let cases = Set(
            try CommittedVectors.load().flatMap { $0.value("case")?.split(separator: " ").compactMap { Int($0) } ?? [] }
        )
        let owned = Set(Array(1...12) + Array(17...50) + Array(53...57))
        #expect(owned.subtracting(cases).subtracting(Self.notAboutBytes) == [])
    }

    @Test func `there are more than a hundred and twenty of them, one fault each`() throws {
        let vectors = try CommittedVectors.load()
        #expect(vectors.count >= 120)
        #expect(Set(vectors.compactMap { $0.value("title") }).count > vectors.count / 2)
    }
}
