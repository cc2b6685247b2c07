import Envelope
import Foundation
import Keys
import Platform
import Primitives
import TestSupport
import Testing

@testable import Opening

/// An app, its key ring and its extension's view of it, in a temporary folder.
final class Household {
    static let start = Timestamp(milliseconds: 1_800_000_000_000)
    static let replayStore = StoreID(id: Array(0..<16), generation: 3)

    let topic: BundleID
    let folder: TemporaryFolder
    let faults = Faults()
    let lock = DeviceLockBox()
    let identityStore: FaultyStore
    let shared: FaultyStore
    var policy: RotationPolicy
    var random: SeededRandom
    /// The device's clock; the lower bound is the same, unless a test says otherwise.
    var now = Household.start
    var replayStore = Household.replayStore
    /// Every bundle that the app could ever publish, with its epoch.
    var published: [(bytes: [UInt8], epoch: UInt64)] = []

    /// Copies a household into a folder of its own, without the cost of the first writes.
    convenience init(copying other: Household) throws {
        try self.init(seed: 0, usesUnlockedClass: other.policy.usesUnlockedClass)
        for name in ["app", "shared"] where FileManager.default.fileExists(atPath: other.folder.path(name)) {
            try FileManager.default.copyItem(atPath: other.folder.path(name), toPath: folder.path(name))
        }
        random = other.random
        now = other.now
        replayStore = other.replayStore
        published = other.published
    }

    init(seed: UInt64, usesUnlockedClass: Bool = false) throws {
        topic = try BundleID("com.example.chat")
        folder = try TemporaryFolder()
        let lock = lock
        identityStore = FaultyStore(folder: folder.path("app"), faults: faults) { lock.state }
        shared = FaultyStore(folder: folder.path("shared"), faults: faults) { lock.state }
        policy = RotationPolicy(usesUnlockedClass: usesUnlockedClass)
        random = SeededRandom(seed: seed)
    }

    var stores: KeyStores {
        KeyStores(identity: identityStore, shared: shared, lockPath: folder.path("lock"))
    }

    /// The time `now`, confirmed.
    var clock: RingClock { .confirmed(now) }

    func create() throws(KeyRingError) -> AppKeyRing {
        try AppKeyRing.create(
            stores: stores,
            topic: topic,
            policy: policy,
            replayStore: replayStore,
            at: clock,
            random: &random
        )
    }

    func open() throws(KeyRingError) -> AppKeyRing {
        try AppKeyRing.open(
            stores: stores,
            topic: topic,
            policy: policy,
            replayStore: replayStore,
            at: clock,
            random: &random
        )
    }

    func publish(_ ring: AppKeyRing) throws {
        published.append(try ring.bundle(at: clock))
    }

    func pass(_ duration: Duration) { now = now.advanced(by: duration) }

    /// A bundle's entries, as senders read them.
    func entries(_ bundle: [UInt8], of identity: IdentityKey, now: Timestamp? = nil) throws -> [KeyBundle.Entry] {
        try KeyBundle(verifying: bundle, pinnedIdentity: identity, topic: topic, now: now ?? self.now).entries
    }

    func ids(_ bundle: [UInt8], of identity: IdentityKey) throws -> [PrekeyID] {
        try entries(bundle, of: identity).map { $0.prekey.localID(identity: identity) }
    }

    func view() throws(SecretStoreError) -> KeyRing { try KeyRing(store: shared.store) }

    func index() throws -> RingIndex { try RingIndex(from: shared.store) }

    func write(_ index: RingIndex) throws { try RingWriter(stores: stores).commit(index) }
}

final class DeviceLockBox: Sendable {
    private let box = Guarded(DeviceLock.unlocked)

    var state: DeviceLock { box.withLock { $0 } }

    func set(_ state: DeviceLock) { box.withLock { $0 = state } }
}

extension Duration {
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}

extension KeyRing.PrekeyLookup {
    var name: String {
        switch self {
        case .found: "found"
        case .locked: "locked"
        case .stale: "stale"
        case .unknown: "unknown"
        case .unavailable: "unavailable"
        }
    }

    /// True if this opens what was sealed to `prekey`: both sides agree on a secret.
    func opens(_ prekey: PublicPrekey) throws -> Bool {
        guard case .found(let own) = self else { return false }
        var random = SeededRandom(seed: 99)
        let ephemeral = X25519PrivateKey(random: &random)
        let sealed = try ephemeral.sharedSecret(with: prekey.key)
        let opened = try own.key.sharedSecret(with: ephemeral.publicKey)
        return sealed.isEqual(to: opened)
    }
}

extension RecordName {
    /// The file of a record in a `FileSecretStore`.
    var file: String { description + ".secret" }
}
