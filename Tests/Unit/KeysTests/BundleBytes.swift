import Envelope
import Keys
import Primitives
import TestSupport

/// A key bundle built by hand, field by field after docs/protocol.md, so that every field can be wrong.
struct BundleBytes {
    static let topic = Array("com.example.chat".utf8)
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let day: UInt64 = 86_400_000

    struct Entry {
        var suite: UInt8 = 1
        var protectionClass: UInt8 = 1
        var notBefore: UInt64
        var notAfter: UInt64
        var key: [UInt8]

        var bytes: [UInt8] { [suite, protectionClass] + bigEndian(notBefore) + bigEndian(notAfter) + key }
    }

    var version: UInt8 = 1
    var identity: [UInt8]
    var epoch: UInt64 = 7
    var issuedAt = BundleBytes.now.milliseconds
    var topic = BundleBytes.topic
    /// nil: the number of entries.
    var count: UInt8?
    var entries: [Entry]
    var trailer: [UInt8] = []
    var changesSignature = false

    /// One entry for each class, valid from now for thirty days.
    init(for device: Device, classes: [UInt8] = [1]) {
        identity = device.key.publicKey.rawRepresentation
        entries = classes.map { protectionClass in
            Entry(
                protectionClass: protectionClass,
                notBefore: Self.now.milliseconds,
                notAfter: Self.now.milliseconds + 30 * Self.day,
                key: device.prekey.rawRepresentation
            )
        }
    }

    func bytes(signedBy key: borrowing Ed25519PrivateKey) -> [UInt8] {
        var content = [version] + identity + bigEndian(epoch) + bigEndian(issuedAt)
        content += [UInt8(topic.count)] + topic + [count ?? UInt8(entries.count)]
        content += entries.flatMap(\.bytes)
        var signature = key.signature(over: [19] + Array("SealedPush/1 bundle".utf8) + content)
        if changesSignature { signature[0] ^= 1 }
        return content + signature + trailer
    }
}

final class Device: Sendable {
    let key: Ed25519PrivateKey
    let prekey: X25519PublicKey

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        key = Ed25519PrivateKey(random: &random)
        prekey = X25519PrivateKey(random: &random).publicKey
    }

    var identity: IdentityKey { IdentityKey(key.publicKey) }

    /// A sender's refusal of the bundle after a change.
    func refusal(
        now: Timestamp = BundleBytes.now,
        classes: [UInt8] = [1],
        pin: BundlePin? = nil,
        change: (inout BundleBytes) -> Void
    ) -> KeyBundleError? {
        var bundle = BundleBytes(for: self, classes: classes)
        change(&bundle)
        return refusal(of: bundle.bytes(signedBy: key), pin: pin, now: now)
    }

    func refusal(of bytes: [UInt8], pin: BundlePin? = nil, now: Timestamp = BundleBytes.now) -> KeyBundleError? {
        let topic: BundleID
        do {
            topic = try BundleID(bytes: BundleBytes.topic)
            _ = try KeyBundle(verifying: bytes, pinnedIdentity: identity, topic: topic, pin: pin, now: now)
            return nil
        } catch let error as KeyBundleError {
            return error
        } catch {
            preconditionFailure("the topic is a constant")
        }
    }
}

func bigEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
}
