import Envelope
import FuzzSupport
import Keys
import Primitives

/// Key bundles, as a relay hands them out: as they are, and with a good signature, so that what is behind its check is
/// reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBundle(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    switch input.selector & 3 {
    case 0: device.check(input.rest)
    case 1: device.check(device.signed(input.rest))
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

    func check(_ bytes: [UInt8]) {
        do {
            let identity = IdentityKey(key.publicKey)
            let bundle = try KeyBundle(verifying: bytes, pinnedIdentity: identity, topic: topic, now: now)
            require(bundle.signed(by: key) == bytes, "a bundle that is accepted has one spelling")
            require((1...4).contains(bundle.entries.count), "a bundle has one to four keys")
            require(!bundle.entries.contains { $0.prekey.key.isLowOrder }, "no key in it gives no secrecy")
        } catch {
            // Every refusal is right that is one.
        }
    }
}
