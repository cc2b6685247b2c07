import Envelope
import Primitives
import TestSupport
import Testing

@testable import Keys

/// Signatures and hashes of one context, which are void in another.
struct ContextTests {
    static let contexts = [
        "SealedPush/1", "SealedPush/1 message", "SealedPush/1 prekey", "SealedPush/1 bundle", "SealedPush/1 safety",
        "SealedPush/1 sender", "SealedPush/1 attachment", "",
    ]

    @Test func `our own contexts are those of the protocol`() {
        let ours = [
            Binding.envelopeContext, Binding.messageContext, Binding.prekeyContext, Binding.bundleContext,
            SafetyNumber.safetyContext, Binding.senderContext,
        ]
        #expect(ours == Array(Self.contexts.prefix(6)))
        #expect(Set(ours).count == ours.count)
    }

    @Test(arguments: contexts)
    func `a bundle signed under another context is refused`(_ context: String) {
        let device = Device(seed: 160)
        let content = Array(BundleBytes(for: device).bytes(signedBy: device.key).dropLast(64))
        let signature = device.key.signature(over: [UInt8(context.utf8.count)] + Array(context.utf8) + content)
        let expected: KeyBundleError? = context == "SealedPush/1 bundle" ? nil : .badSignature
        #expect(device.refusal(of: content + signature) == expected)
    }

    @Test(arguments: ["SealedPush/1 bundle", "SealedPush/1 bundle\u{0}", "sealedpush/1 bundle", "SealedPush/2 bundle"])
    func `a context without its length byte, or a little different, is another`(_ context: String) {
        let device = Device(seed: 161)
        let content = Array(BundleBytes(for: device).bytes(signedBy: device.key).dropLast(64))
        let bare = device.key.signature(over: Array(context.utf8) + content)
        #expect(device.refusal(of: content + bare) == .badSignature)
        let prefixed = device.key.signature(over: [UInt8(context.utf8.count)] + Array(context.utf8) + content)
        #expect(device.refusal(of: content + prefixed) == (context == "SealedPush/1 bundle" ? nil : .badSignature))
    }

    @Test(arguments: contexts)
    func `a prekey's fingerprint and a safety number have contexts of their own`(_ context: String) throws {
        let device = Device(seed: 162)
        let prekey = PublicPrekey(suite: .x25519, protectionClass: .afterFirstUnlock, key: device.prekey)
        let prefix = [UInt8(context.utf8.count)] + Array(context.utf8)
        let fingerprint = SHA256.hash(
            prefix,
            [1, 1],
            device.identity.rawRepresentation,
            device.prekey.rawRepresentation
        )
        let isPrekey = context == "SealedPush/1 prekey"
        #expect((prekey.fingerprint(identity: device.identity) == fingerprint) == isPrekey)

        let key = device.identity.rawRepresentation
        var digest = SHA512.hash(prefix, key)
        for _ in 0..<5_199 { digest = SHA512.hash(digest, key) }
        let first = digest[..<5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
        let isSafety = context == "SealedPush/1 safety"
        #expect((Int(SafetyNumber.groups(of: key)[0]) == Int(first)) == isSafety)
    }
}
