import Envelope
import Keys
import Primitives
import TestSupport

@testable import Sealing

final class BundleMaker: Sendable {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let topic = "com.example.chat"
    private static let day: Int64 = 86_400

    private let key: Ed25519PrivateKey
    private let prekeys: [X25519PublicKey]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        key = Ed25519PrivateKey(random: &random)
        prekeys = (0..<3).map { _ in X25519PrivateKey(random: &random).publicKey }
    }

    var identity: IdentityKey { IdentityKey(key.publicKey) }

    /// A signed bundle. `prekey` chooses one of three keys.
    func bundle(
        epoch: UInt64,
        prekey: Int = 0,
        classes: [ProtectionClass] = [.afterFirstUnlock],
        topic: String = BundleMaker.topic,
        issuedAt: Timestamp = BundleMaker.now,
        from notBefore: Timestamp = BundleMaker.now,
        days: Int64 = 30
    ) throws -> [UInt8] {
        let entries = classes.map { protectionClass in
            KeyBundle.Entry(
                prekey: PublicPrekey(suite: .x25519, protectionClass: protectionClass, key: prekeys[prekey]),
                notBefore: notBefore,
                notAfter: notBefore.advanced(by: .seconds(days * Self.day))
            )
        }
        return KeyBundle(
            identity: identity,
            epoch: epoch,
            issuedAt: issuedAt,
            topic: try BundleID(topic),
            entries: entries
        )
        .signed(by: key)
    }

    func recipient(
        _ bundle: [UInt8],
        pins: some BundlePinStore,
        fetchedAt: Timestamp? = nil,
        topic: String = BundleMaker.topic,
        protectionClass: ProtectionClass = .afterFirstUnlock,
        now: Timestamp = BundleMaker.now
    ) throws -> Recipient {
        try Recipient(
            bundle: bundle,
            fetchedAt: fetchedAt ?? now,
            pinnedIdentity: identity,
            topic: BundleID(topic),
            protectionClass: protectionClass,
            pins: pins,
            now: now
        )
    }

    /// nil: accepted.
    func refusal(
        of bundle: [UInt8],
        pins: some BundlePinStore,
        topic: String = BundleMaker.topic,
        now: Timestamp = BundleMaker.now
    ) -> RecipientError? {
        do {
            _ = try recipient(bundle, pins: pins, topic: topic, now: now)
            return nil
        } catch let error as RecipientError {
            return error
        } catch {
            preconditionFailure("the topic is a constant")
        }
    }

    func pin(in pins: some BundlePinStore, topic: String = BundleMaker.topic) throws -> BundlePin? {
        try pins.pin(of: identity, topic: BundleID(topic))
    }
}
