import Testing

@testable import Envelope

struct BindingTests {
    private let header = EnvelopeHeader(suite: .x25519, prekeyID: Array(1...8))
    private let identityKey = [UInt8](repeating: 0x1D, count: 32)
    private let fingerprint = [UInt8](repeating: 0xF9, count: 32)

    private func info(_ topic: BundleID) -> [UInt8] {
        Binding.info(header: header, topic: topic, identityKey: identityKey, prekeyFingerprint: fingerprint)
    }

    @Test func `info has the layout of the protocol page`() throws {
        var expected = [12] + Array("SealedPush/1".utf8)
        expected += [0x01, 0x01, 1, 2, 3, 4, 5, 6, 7, 8]
        expected += [13] + Array("com.acme.chat".utf8)
        expected += [UInt8](repeating: 0x1D, count: 32) + [UInt8](repeating: 0xF9, count: 32)
        #expect(info(try BundleID("com.acme.chat")) == expected)
    }

    @Test(arguments: [1, 16, 155])
    func `info has 88 bytes and the topic, the signature's input 209 and the topic`(_ topicByteCount: Int) throws {
        let info = info(try BundleID(String(repeating: "a", count: topicByteCount)))
        #expect(info.count == 88 + topicByteCount)
        let input = Binding.signatureInput(
            info: info,
            frameHead: [UInt8](repeating: 0, count: 68),
            bodyDigest: [UInt8](repeating: 0, count: 32)
        )
        #expect(input.count == 209 + topicByteCount)
    }

    @Test func `the signature's input has the layout of the protocol page`() throws {
        let info = info(try BundleID("a"))
        let head = [UInt8](repeating: 0x4E, count: 68)
        let digest = [UInt8](repeating: 0xD1, count: 32)
        let input = Binding.signatureInput(info: info, frameHead: head, bodyDigest: digest)
        #expect(input == [20] + Array("SealedPush/1 message".utf8) + info + head + digest)
    }

    @Test func `each part of info changes it`() throws {
        let topic = try BundleID("com.acme.chat")
        var other = identityKey
        other[31] ^= 1
        let variants = [
            info(topic),
            info(try BundleID("com.acme.chat.voip")),
            info(try BundleID("com.acme.Chat")),
            Binding.info(header: header, topic: topic, identityKey: other, prekeyFingerprint: fingerprint),
            Binding.info(header: header, topic: topic, identityKey: identityKey, prekeyFingerprint: other),
            Binding.info(header: header, topic: topic, identityKey: fingerprint, prekeyFingerprint: identityKey),
            Binding.info(
                header: EnvelopeHeader(suite: .x25519, prekeyID: Array(2...9)),
                topic: topic,
                identityKey: identityKey,
                prekeyFingerprint: fingerprint
            ),
        ]
        #expect(Set(variants).count == variants.count)
    }

    @Test func `the context strings are those of the protocol page`() {
        #expect(Binding.envelopeContext == "SealedPush/1")
        #expect(Binding.messageContext == "SealedPush/1 message")
        #expect(Binding.prekeyContext == "SealedPush/1 prekey")
        #expect(Binding.bundleContext == "SealedPush/1 bundle")
    }

    /// As plain text each begins with "SealedPush/1": only the length byte keeps one from being the other's beginning.
    @Test func `no context, as it is written, begins another`() {
        let contexts = [
            Binding.envelopeContext, Binding.messageContext, Binding.prekeyContext, Binding.bundleContext,
            // Contexts that the protocol page reserves.
            "SealedPush/1 attachment", "SealedPush/1 safety", "SealedPush/1 add device",
        ]
        for (index, text) in contexts.enumerated() {
            #expect(text.utf8.allSatisfy { $0 != 0 && $0 < 0x80 })
            #expect(Binding.context(text) == [UInt8(text.utf8.count)] + Array(text.utf8))
            for other in contexts[(index + 1)...] {
                let (one, two) = (Binding.context(text), Binding.context(other))
                #expect(!one.starts(with: two) && !two.starts(with: one))
            }
        }
    }

    @Test func `what is signed begins like no info`() throws {
        let info = info(try BundleID("a"))
        let input = Binding.signatureInput(
            info: info,
            frameHead: [UInt8](repeating: 0, count: 68),
            bodyDigest: [UInt8](repeating: 0, count: 32)
        )
        #expect(input[0] != info[0])
    }
}
