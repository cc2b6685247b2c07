import CryptoKit
import Foundation
import Primitives
import TestSupport
import Testing

import enum HPKE.HPKE

/// The stand-in's HPKE against the RFC's vectors and against this package's own, which shares no code with it.
struct CryptoKitHPKETests {
    private static let ciphersuite = CryptoKit.HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

    /// Fields as the RFC's authors name them; HPKETests has the file.
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        struct Encryption: Decodable, Sendable { let aad, ct, pt: String }

        let mode, aead_id: Int
        let info, skRm, enc: String
        let pkSm, psk, psk_id: String?
        let encryptions: [Encryption]

        var testDescription: String { "mode \(mode), AEAD \(aead_id)" }
    }

    private static func vectors() throws -> [Vector] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appendingPathComponent("HPKETests/Vectors/rfc9180-x25519-sha256.json")
        return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
    }

    @Test(arguments: try vectors())
    func `each mode and cipher opens the RFC's messages in their order`(_ vector: Vector) throws {
        func data(_ hex: String?) throws -> Data { Data(try #require(Hex.decode(hex ?? ""))) }
        let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: data(vector.skRm))
        let aead = [CryptoKit.HPKE.AEAD.AES_GCM_128, .AES_GCM_256, .chaChaPoly][vector.aead_id - 1]
        let suite = CryptoKit.HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: aead)
        let (info, enc) = (try data(vector.info), try data(vector.enc))
        let (psk, id) = (SymmetricKey(data: try data(vector.psk)), try data(vector.psk_id))
        var recipient: CryptoKit.HPKE.Recipient
        switch vector.mode {
        case 0: recipient = try .init(privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: enc)
        case 1:
            recipient = try .init(
                privateKey: key,
                ciphersuite: suite,
                info: info,
                encapsulatedKey: enc,
                presharedKey: psk,
                presharedKeyIdentifier: id
            )
        case 2:
            recipient = try .init(
                privateKey: key,
                ciphersuite: suite,
                info: info,
                encapsulatedKey: enc,
                authenticatedBy: Curve25519.KeyAgreement.PublicKey(rawRepresentation: data(vector.pkSm))
            )
        default:
            recipient = try .init(
                privateKey: key,
                ciphersuite: suite,
                info: info,
                encapsulatedKey: enc,
                authenticatedBy: Curve25519.KeyAgreement.PublicKey(rawRepresentation: data(vector.pkSm)),
                presharedKey: psk,
                presharedKeyIdentifier: id
            )
        }
        for encryption in vector.encryptions {
            let text = try recipient.open(data(encryption.ct), authenticating: data(encryption.aad))
            #expect(try text == data(encryption.pt))
        }
    }

    @Test func `what this package seals it opens, and the other way round`() throws {
        var random = SeededRandom(seed: 9180)
        let scalar = random.bytes(count: 32)
        let info = Data("info".utf8)
        let ours = try X25519PrivateKey(rawRepresentation: unsafe SecretBytes(copying: scalar.span.bytes))
        let theirs = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: scalar)
        let sealed = try Self.seal(to: ours.publicKey, info: Array(info), &random)
        var recipient = try CryptoKit.HPKE.Recipient(
            privateKey: theirs,
            ciphersuite: Self.ciphersuite,
            info: info,
            encapsulatedKey: Data(sealed.encapsulatedKey)
        )
        #expect(try recipient.open(sealed.ciphertext, authenticating: Data("aad".utf8)) == Data("Hello".utf8))
        var sender = try CryptoKit.HPKE.Sender(
            recipientKey: theirs.publicKey,
            ciphersuite: Self.ciphersuite,
            info: info
        )
        let ciphertext = try sender.seal(Data("Hello".utf8), authenticating: Data("aad".utf8))
        let opened = try HPKE.open(
            Array(ciphertext)[...],
            encapsulatedKey: Array(sender.encapsulatedKey),
            with: ours,
            info: Array(info),
            aad: Array("aad".utf8)
        )
        #expect(opened == Array("Hello".utf8))
    }

    private static func seal(
        to key: X25519PublicKey,
        info: [UInt8],
        _ random: inout SeededRandom
    ) throws -> (encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
        try HPKE.seal(Array("Hello".utf8), to: key, info: info, aad: Array("aad".utf8), random: &random)
    }

    @Test func `P-256 runs in the mode with both secrets, and both sides export the same secret`() throws {
        let suite = CryptoKit.HPKE.Ciphersuite.P256_SHA256_AES_GCM_256
        let (one, two) = (P256.KeyAgreement.PrivateKey(), P256.KeyAgreement.PrivateKey())
        let (info, psk, id) = (Data("info".utf8), SymmetricKey(size: .bits256), Data("id".utf8))
        var sender = try CryptoKit.HPKE.Sender(
            recipientKey: two.publicKey,
            ciphersuite: suite,
            info: info,
            authenticatedBy: one,
            presharedKey: psk,
            presharedKeyIdentifier: id
        )
        var recipient = try CryptoKit.HPKE.Recipient(
            privateKey: two,
            ciphersuite: suite,
            info: info,
            encapsulatedKey: sender.encapsulatedKey,
            authenticatedBy: one.publicKey,
            presharedKey: psk,
            presharedKeyIdentifier: id
        )
        for text in ["one", "two"] {
            #expect(try recipient.open(sender.seal(Data(text.utf8))) == Data(text.utf8))
        }
        #expect(
            try sender.exportSecret(context: id, outputByteCount: 32)
                == recipient.exportSecret(context: id, outputByteCount: 32)
        )
        #expect(throws: CryptoKit.HPKE.Errors.ciphertextTooShort) { try recipient.open(Data([1])) }
        #expect(throws: CryptoKit.HPKE.Errors.inconsistentCiphersuiteAndKey) {
            try CryptoKit.HPKE.Sender(recipientKey: two.publicKey, ciphersuite: Self.ciphersuite, info: info)
        }
    }
}
