import Envelope
import FuzzSupport
import Keys
import Primitives
import Sealing

/// Key bundles from a relay: raw, and with a good signature, so that the code behind its check is reached; against a
/// sender's pin; and pins as they lie on disk.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBundle(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    switch input.selector & 7 {
    case 0: device.check(input.rest)
    case 1: device.check(device.signed(input.rest))
    case 4: device.check(pin: input.rest)
    case 5: device.check(pin: device.checked(device.slotOpening + input.rest))
    case 6: device.check(device.signed(device.opening + input.rest.dropFirst(43)), against: input.rest.prefix(43))
    default: device.check(device.signed(device.opening + input.rest))
    }
    return 0
}

private let device = Device()

/// An identity that senders have pinned. A class only because its key cannot be copied.
private final class Device: Sendable {
    private let key: Ed25519PrivateKey
    private let topic: BundleID
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    init() {
        var random = FixedRandom(seed: 1)
        key = Ed25519PrivateKey(random: &random)
        do {
            topic = try BundleID("com.example.chat")
        } catch {
            fatalError("a topic of letters is one")
        }
    }

    /// Version and identity, which a fuzzer would not guess.
    var opening: [UInt8] { [KeyBundle.version] + key.publicKey.rawRepresentation }

    func signed(_ content: [UInt8]) -> [UInt8] {
        content + key.signature(over: Binding.context(Binding.bundleContext) + content)
    }

    /// A pin's bytes before the epoch, for this device.
    var slotOpening: [UInt8] {
        var bytes = Array("SPP1".utf8) + key.publicKey.rawRepresentation
        bytes.append(lengthPrefixed: topic.bytes)
        return bytes
    }

    func checked(_ content: [UInt8]) -> [UInt8] { content + SHA256.hash(content).prefix(8) }

    func check(pin bytes: [UInt8]) {
        let slot = BundlePinSlot(identity: IdentityKey(key.publicKey), topic: topic)
        guard let pin = BundlePin(encoded: bytes, for: slot) else { return }
        require(pin.encoded(for: slot) == bytes, "a pin has one spelling")
    }

    func check(_ bytes: [UInt8]) {
        let claimed = try? SignedKeyBundle.claimedIdentity(of: bytes)
        do {
            let identity = IdentityKey(key.publicKey)
            let bundle = try KeyBundle(verifying: bytes, pinnedIdentity: identity, topic: topic, now: now)
            require(bundle.signed(by: key) == bytes, "a bundle that is accepted has one spelling")
            require(claimed == identity, "a bundle that is accepted says whose it is")
            let chosen = bundle.entry(for: .afterFirstUnlock)
            require(
                chosen?.prekey.protectionClass ?? .afterFirstUnlock == .afterFirstUnlock,
                "a class has its own keys"
            )
            require((1...4).contains(bundle.entries.count), "a bundle has one to four keys")
            require(!bundle.entries.contains { $0.prekey.key.isLowOrder }, "no key in it gives no secrecy")
        } catch {
            // Any proper refusal is right.
        }
    }

    /// - Parameter memory: 1 for the bundle's own pin ‖ epoch u64 ‖ digest 32 ‖ suites u8 u8.
    func check(_ bytes: [UInt8], against memory: ArraySlice<UInt8>) {
        var reader = ByteReader(memory)
        guard let isSame = reader.take(UInt8.self), let epoch = reader.take(UInt64.self),
            let digest = reader.take(32), let suites = reader.take(2)
        else { return }
        let pin = BundlePin(
            epoch: epoch,
            digest: isSame & 1 == 0 ? digest : SHA256.hash(bytes),
            highestSuites: HighestSuites(afterFirstUnlock: suites[0], unlocked: suites[1]),
            issuedAt: now,
            fetchedAt: now
        )
        do {
            let signed = try SignedKeyBundle(bytes, pinnedIdentity: IdentityKey(key.publicKey), topic: topic)
            let bundle = try signed.checked(against: pin, now: now)
            require(bundle.epoch >= epoch, "nothing older than what is known is taken")
            require(bundle.epoch > epoch || isSame & 1 == 1, "no second bundle of one epoch is taken")
            let newer = signed.pin(replacing: pin, fetchedAt: now, now: now)
            _ = try signed.checked(against: newer, now: now)
            require(newer.epoch == bundle.epoch, "what was taken is remembered")
        } catch {
            // Any proper refusal is right.
        }
    }
}
