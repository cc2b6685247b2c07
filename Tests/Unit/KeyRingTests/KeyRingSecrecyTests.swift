#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

/// No secret stays in the process once a step is done. The search has each as its complement, drawn anew from the seed,
/// so that it does not find itself.
struct KeyRingSecrecyTests {
    /// Unlike any other test's seed: a test beside this with the same draws would be found.
    private static let seed: UInt64 = 0x4B65_7952_696E_6753

    @Test func `making, opening and rotating a ring leaves neither the identity nor a prekey in the process`() throws {
        let needles = Self.complements(seed: Self.seed)
        let folder = try TemporaryFolder()
        let stores = KeyStores(
            identity: FileSecretStore(folder: folder.path("app")),
            shared: FileSecretStore(folder: folder.path("shared")),
            lockPath: folder.path("lock")
        )
        let (topic, clock) = (
            try BundleID("com.example.chat"), RingClock.confirmed(Household.start)
        )
        var random = SeededRandom(seed: Self.seed)
        _ = try AppKeyRing.create(
            stores: stores,
            topic: topic,
            policy: RotationPolicy(),
            replayStore: Household.replayStore,
            at: clock,
            random: &random
        )
        let ring = try AppKeyRing.open(
            stores: stores,
            topic: topic,
            policy: RotationPolicy(),
            replayStore: Household.replayStore,
            at: clock,
            random: &random
        )
        try ring.rotate(at: clock, random: &random)
        let index = try RingIndex(from: stores.shared)
        #expect(index.prekeys.count == 2)
        for needle in needles { #expect(try !ProcessMemory.contains(inverted: needle)) }
        // The search finds a prekey that is held, and the extension holds it no longer than the message.
        let view = try KeyRing(store: stores.shared)
        #expect(try Self.isFound(needles[2], while: index.prekeys[1].id, isHeldFrom: view))
        #expect(try !ProcessMemory.contains(inverted: needles[2]))
    }

    private static func isFound(_ needle: [UInt8], while id: PrekeyID, isHeldFrom ring: KeyRing) throws -> Bool {
        let lookup = ring.prekey(id: id.bytes)
        return try withExtendedLifetime(lookup) { try ProcessMemory.contains(inverted: needle) }
    }

    /// Identity seed, first prekey, second prekey: the draws of `AppKeyRing`, in its order. The allocator may write its
    /// own links into the first bytes of freed memory: the rest must be gone.
    private static func complements(seed: UInt64) -> [[UInt8]] {
        var random = SeededRandom(seed: seed)
        return (0..<3).map { _ in
            Array((0..<32).map { _ in ~UInt8(truncatingIfNeeded: random.next()) }.dropFirst(16))
        }
    }
}
#endif
