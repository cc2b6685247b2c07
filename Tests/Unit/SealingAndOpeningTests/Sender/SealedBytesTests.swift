import Envelope
import HPKE
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

struct SealedBytesTests {
    @Test func `the same randomness makes the same bytes, and other randomness others (protocol v1, rule 8)`() throws {
        func bytes(seed: UInt64) throws -> [UInt8] {
            var pair = try Pair(seed: 500)
            pair.random = SeededRandom(seed: seed)
            return try pair.seal(Message(body: "Hello")).envelope.bytes
        }
        if Signatures.areRepeatable { #expect(try bytes(seed: 1) == bytes(seed: 1)) }
        #expect(try bytes(seed: 1)[10..<42] != bytes(seed: 2)[10..<42])
    }

    @Test func `what an app calls draws from the system, every time (protocol v1, rule 8, rule 11)`() throws {
        let pair = try Pair(seed: 501)
        let recipient = try pair.recipient()
        var keys: Set<[UInt8]> = []
        for _ in 0..<20 {
            keys.insert(
                try pair.sender.seal(Message(body: "x"), for: recipient, sentAt: Pair.start).envelope.encapsulatedKey
            )
        }
        #expect(keys.count == 20)
    }

    @Test(arguments: [
        "x", String(repeating: "a", count: 2_000), String(repeating: "👩‍👩‍👧‍👦", count: 100), "{\"body\":\"{}\"}",
    ])
    func `a body stands as it is behind its length, with zeros to the end (protocol v1, rule 9)`(_ body: String) throws
    {
        var pair = try Pair(seed: 502)
        let plaintext = try pair.plaintext(of: pair.seal(Message(body: body)))
        #expect(plaintext.count == 2_822)
        let count = Int(plaintext[66]) << 8 | Int(plaintext[67])
        var writer = JSONWriter()
        writer.object { $0.member("body", body) }
        #expect(Array(plaintext[132..<132 + count]) == writer.bytes)
        #expect(plaintext[(132 + count)...].allSatisfy { $0 == 0 })
    }

    @Test func `the signature covers head, body and recipient, and is where it belongs (protocol v1, rule 2, rule 3)`()
        throws
    {
        var pair = try Pair(seed: 503)
        let sealed = try pair.seal(Message(body: "Hello"))
        let plaintext = try pair.plaintext(of: sealed)
        let count = Int(plaintext[66]) << 8 | Int(plaintext[67])
        // By hand, from docs/protocol.md.
        var input = [20] + Array("SealedPush/1 message".utf8)
        input += try pair.info(of: sealed)
        input += plaintext[..<68]
        input += SHA256.hash(Array(plaintext[132..<132 + count]))
        #expect(input.count == 209 + Pair.topic.utf8.count)
        let signature = Array(plaintext[68..<132])
        #expect(pair.sender.publicKey.key.isValid(signature: signature, over: input))
        #expect(Array(plaintext[32..<64]) == pair.sender.publicKey.rawRepresentation)
    }

    @Test func `info holds topic, identity and the whole fingerprint (protocol v1, rule 1, rule 5, rule 6)`() throws {
        var pair = try Pair(seed: 504)
        let sealed = try pair.seal(Message(body: "Hello"))
        #expect(try pair.recipient().info == pair.info(of: sealed))
        #expect(try pair.info(of: sealed).count == 88 + Pair.topic.utf8.count)
    }
}

extension Pair {
    /// `info`, built by hand after docs/protocol.md.
    fileprivate func info(of sealed: SealedMessage) throws -> [UInt8] {
        let fingerprint = try #require(device.keyRing.prekeys.first).fingerprint
        var info = [12] + Array("SealedPush/1".utf8)
        info += sealed.envelope.bytes[..<10]
        info += [UInt8(Pair.topic.utf8.count)] + Array(Pair.topic.utf8)
        info += device.identity.rawRepresentation
        return info + fingerprint
    }

    fileprivate func plaintext(of sealed: SealedMessage) throws -> [UInt8] {
        try HPKE.open(
            sealed.envelope.ciphertext[...],
            encapsulatedKey: sealed.envelope.encapsulatedKey,
            with: #require(device.keyRing.prekeys.first).key,
            info: info(of: sealed)
        )
    }
}
