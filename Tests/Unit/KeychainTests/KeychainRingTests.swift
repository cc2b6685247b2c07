import Envelope
import Foundation
import Keys
import Platform
import Primitives
import Security
import TestSupport
import Testing

@testable import Opening

/// A whole key ring in the keychain: the app's side makes it, the extension's side reads it.
struct KeychainRingTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    private let service = UUID().uuidString
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var shared: KeychainSecretStore { KeychainSecretStore(service: service, accessGroup: "TEAM.shared") }

    @Test func `the extension finds what the app made, and not its identity's private half`() throws {
        let ring = try makeRing()
        #expect(try KeyRing(store: shared).identity == ring.identity)
        #expect(refusal { () throws(SecretStoreError) in _ = try shared.read(.identity) } == .notFound)
    }

    @Test func `no ring is not found, and before the first unlock it is locked (abuse case 106)`() throws {
        #expect(ringError() == .notFound)
        _ = try makeRing()
        #expect(on(.beforeFirstUnlock) { ringError() } == .locked)
        #expect(on(.locked) { ringError() } == nil)
    }

    @Test func `an index with any of its bytes changed, or cut anywhere, is damaged (abuse case 106)`() throws {
        _ = try makeRing()
        let record = try shared.read(.ring)
        let bytes = record.withBytes { [UInt8](copying: $0) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            try replaceIndex(changed)
            #expect(ringError() == .damaged, "byte \(index)")
        }
        for count in 1..<bytes.count {
            try replaceIndex(Array(bytes.prefix(count)))
            #expect(ringError() == .damaged, "\(count) bytes")
        }
    }

    private func makeRing() throws(KeyRingError) -> AppKeyRing {
        var random = SeededRandom(seed: 1)
        let topic: BundleID
        do { topic = try BundleID("com.example.chat") } catch { preconditionFailure("a topic") }
        return try AppKeyRing.create(
            stores: KeyStores(
                identity: KeychainSecretStore(service: service, accessGroup: "TEAM.app"),
                shared: shared,
                lockPath: folder.path("lock")
            ),
            topic: topic,
            policy: RotationPolicy(usesUnlockedClass: true),
            replayStore: StoreID(id: Array(0..<16), generation: 3),
            at: RingClock(now: Self.now, known: KnownTime(lowerBound: Self.now)),
            random: &random
        )
    }

    private func replaceIndex(_ bytes: [UInt8]) throws(SecretStoreError) {
        let record = SecretBytes(byteCount: bytes.count) { span in
            for (offset, byte) in bytes.enumerated() { span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }
        try record.withBytes { span throws(SecretStoreError) in
            try shared.write(span, to: .ring, protection: .afterFirstUnlock)
        }
    }

    private func ringError() -> SecretStoreError? {
        refusal { () throws(SecretStoreError) in _ = try KeyRing(store: shared) }
    }
}
