import Primitives
import TestSupport
import Testing

@testable import HPKE

struct HPKETests {
    @Test func `what is sealed opens, for 200 random keys, sizes and infos`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let recipient = X25519PrivateKey(random: &random)
            let plaintext = random.bytes(count: Int.random(in: 0...4096, using: &random))
            let info = random.bytes(count: Int.random(in: 0...300, using: &random))
            let aad = random.bytes(count: Int.random(in: 0...40, using: &random))
            let sealed = try HPKE.seal(plaintext, to: recipient.publicKey, info: info, aad: aad, random: &random)
            let opened = try HPKE.open(
                sealed.ciphertext[...],
                encapsulatedKey: sealed.encapsulatedKey,
                with: recipient,
                info: info,
                aad: aad
            )
            #expect(opened == plaintext, "seed \(seed)")
        }
    }

    /// The points of small order and their non-canonical spellings, also with bit 255 set, which RFC 7748 masks.
    static let lowOrderKeys = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]

    @Test(arguments: lowOrderKeys)
    func `an encapsulated key of low order is refused, and opening says no more than any failure (abuse case 21)`(
        _ hex: String
    ) throws {
        let lowOrder = try #require(Hex.decode(hex))
        var random = SeededRandom(seed: 7)
        let recipient = X25519PrivateKey(random: &random)
        #expect(
            refusal { () throws(HPKEError) in _ = try DHKEM.decapsulate(lowOrder, with: recipient) }
                == .lowOrderPublicKey
        )
        #expect(
            refusal { () throws(HPKEError) in
                _ = try HPKE.open(
                    [UInt8](repeating: 0, count: 16)[...],
                    encapsulatedKey: lowOrder,
                    with: recipient,
                    info: []
                )
            } == .openFailed
        )
    }

    @Test(arguments: lowOrderKeys)
    func `a sender refuses a recipient key of low order (abuse case 21)`(_ hex: String) throws {
        var random = SeededRandom(seed: 8)
        let lowOrder = try X25519PublicKey(rawRepresentation: #require(Hex.decode(hex)))
        #expect(throws: HPKEError.lowOrderPublicKey) {
            _ = try HPKE.seal([1], to: lowOrder, info: [], random: &random)
        }
    }

    @Test(arguments: [0, 31, 33, 1_120])
    func `an encapsulated key of another length is refused before any arithmetic (abuse case 23)`(_ count: Int) {
        var random = SeededRandom(seed: 9)
        let recipient = X25519PrivateKey(random: &random)
        let key = [UInt8](repeating: 9, count: count)
        #expect(
            refusal { () throws(HPKEError) in _ = try DHKEM.decapsulate(key, with: recipient) }
                == .wrongEncapsulatedKeyLength
        )
    }

    @Test func `changed info, aad, key, ciphertext and encapsulated key all fail alike`() throws {
        var random = SeededRandom(seed: 10)
        let recipient = X25519PrivateKey(random: &random)
        let other = X25519PrivateKey(random: &random)
        let sealed = try HPKE.seal([1, 2, 3], to: recipient.publicKey, info: [1], aad: [2], random: &random)
        let again = try HPKE.seal([1, 2, 3], to: recipient.publicKey, info: [1], aad: [2], random: &random)
        let (key, text) = (sealed.encapsulatedKey, sealed.ciphertext)
        #expect(fails(text, key, recipient, info: [], aad: [2]) == true)
        #expect(fails(text, key, recipient, info: [1], aad: []) == true)
        #expect(fails(text, key, other, info: [1], aad: [2]) == true)
        #expect(fails(Array(text.dropLast()), key, recipient, info: [1], aad: [2]) == true)
        #expect(fails(text + [0], key, recipient, info: [1], aad: [2]) == true)
        #expect(fails(text, again.encapsulatedKey, recipient, info: [1], aad: [2]) == true)
    }

    @Test func `an encapsulated key with bit 255 set is another key (abuse case 22)`() throws {
        // X25519 masks the bit, the KEM's context does not: so the same point gives another shared secret.
        var random = SeededRandom(seed: 12)
        let recipient = X25519PrivateKey(random: &random)
        let sealed = try HPKE.seal([1], to: recipient.publicKey, info: [], random: &random)
        var spelled = sealed.encapsulatedKey
        spelled[31] |= 0x80
        #expect(fails(sealed.ciphertext, spelled, recipient, info: [], aad: []) == true)
        #expect(fails(sealed.ciphertext, sealed.encapsulatedKey, recipient, info: [], aad: []) == false)
    }

    private func fails(
        _ ciphertext: [UInt8],
        _ encapsulatedKey: [UInt8],
        _ recipient: borrowing X25519PrivateKey,
        info: [UInt8],
        aad: [UInt8]
    ) -> Bool {
        refusal { () throws(HPKEError) in
            _ = try HPKE.open(
                ciphertext[...],
                encapsulatedKey: encapsulatedKey,
                with: recipient,
                info: info,
                aad: aad
            )
        } == .openFailed
    }
}
