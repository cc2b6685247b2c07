import Primitives
import TestSupport
import Testing

@testable import HPKE

struct Rfc9180VectorTests {
    @Test func `the file holds 16 suites, 3,084 encryptions and 48 exports`() {
        let vectors = Rfc9180Vector.all
        #expect(Set(vectors.map { [$0.mode, $0.aead_id] }).count == 16)
        #expect(vectors.allSatisfy { $0.kem_id == Int(CipherSuite.kemID) && $0.kdf_id == Int(CipherSuite.kdfID) })
        #expect(vectors.map(\.encryptions.count).reduce(0, +) == 3_084)
        #expect(vectors.map(\.exports.count).reduce(0, +) == 48)
    }

    @Test(arguments: Rfc9180Vector.all)
    func `keys derive from their keying material, and public from private keys`(_ vector: Rfc9180Vector) throws {
        var pairs = [(vector.ikmR, vector.skRm, vector.pkRm), (vector.ikmE, vector.skEm, vector.pkEm)]
        if vector.mode >= 2 {
            pairs.append((try #require(vector.ikmS), try #require(vector.skSm), try #require(vector.pkSm)))
        }
        for (keyingMaterial, scalar, point) in pairs {
            #expect(try DHKEM.deriveScalar(from: Rfc9180Vector.secret(keyingMaterial)).hex == scalar)
            #expect(try Hex.encode(Rfc9180Vector.privateKey(scalar).publicKey.rawRepresentation) == point)
        }
    }

    @Test(arguments: Rfc9180Vector.all)
    func `the key schedule has the RFC's intermediates`(_ vector: Rfc9180Vector) throws {
        let recipient = try Rfc9180Vector.privateKey(vector.skRm)
        let encapsulatedKey = try Rfc9180Vector.bytes(vector.enc)
        let info = try Rfc9180Vector.bytes(vector.info)
        let sharedSecret: SecretBytes
        let schedule: KeySchedule
        switch try vector.recipientMode() {
        case .base:
            sharedSecret = try DHKEM.decapsulate(encapsulatedKey, with: recipient)
            schedule = try KeySchedule(vector.suite, .base, sharedSecret: sharedSecret, info: info)
        case .psk(let psk):
            sharedSecret = try DHKEM.decapsulate(encapsulatedKey, with: recipient)
            schedule = try KeySchedule(vector.suite, .psk, sharedSecret: sharedSecret, info: info, psk: psk)
        case .auth(let sender):
            sharedSecret = try DHKEM.decapsulate(encapsulatedKey, with: recipient, sender: sender)
            schedule = try KeySchedule(vector.suite, .auth, sharedSecret: sharedSecret, info: info)
        case .authPSK(let both):
            sharedSecret = try DHKEM.decapsulate(encapsulatedKey, with: recipient, sender: both.sender)
            schedule = try KeySchedule(vector.suite, .authPSK, sharedSecret: sharedSecret, info: info, psk: both.psk)
        }
        #expect(sharedSecret.hex == vector.shared_secret)
        #expect(Hex.encode(schedule.context) == vector.key_schedule_context)
        #expect(schedule.secret.hex == vector.secret)
        #expect(schedule.key.hex == vector.key)
        #expect(Hex.encode(schedule.baseNonce) == vector.base_nonce)
        #expect(try schedule.exporterSecret().hex == vector.exporter_secret)
    }

    @Test(arguments: Rfc9180Vector.all)
    func `every encryption seals to the RFC's bytes`(_ vector: Rfc9180Vector) throws {
        var sender = try vector.senderContext()
        #expect(Hex.encode(sender.encapsulatedKey) == vector.enc)
        for encryption in vector.encryptions {
            let plaintext = try Rfc9180Vector.bytes(encryption.pt)
            let sealed = try sender.seal(plaintext, aad: Rfc9180Vector.bytes(encryption.aad))
            #expect(Hex.encode(sealed) == encryption.ct)
        }
    }

    @Test(arguments: Rfc9180Vector.all)
    func `every encryption opens to the RFC's plaintext`(_ vector: Rfc9180Vector) throws {
        var recipient = try vector.recipientContext()
        for encryption in vector.encryptions {
            let ciphertext = try Rfc9180Vector.bytes(encryption.ct)
            let opened = try recipient.open(ciphertext[...], aad: Rfc9180Vector.bytes(encryption.aad))
            #expect(Hex.encode(opened) == encryption.pt)
        }
    }

    @Test(arguments: Rfc9180Vector.all)
    func `each nonce is the RFC's, past the carry into the second byte`(_ vector: Rfc9180Vector) throws {
        let base = try Rfc9180Vector.bytes(vector.base_nonce)
        for (sequence, encryption) in vector.encryptions.enumerated() {
            #expect(try Hex.encode(HPKE.nonce(base: base, sequence: UInt64(sequence))) == encryption.nonce)
        }
    }

    @Test(arguments: Rfc9180Vector.all)
    func `every export is the RFC's, on both sides`(_ vector: Rfc9180Vector) throws {
        let sender = try vector.senderContext()
        let recipient = try vector.recipientContext()
        for export in vector.exports {
            let context = try Rfc9180Vector.bytes(export.exporter_context)
            #expect(try sender.export(context: context, byteCount: export.L).hex == export.exported_value)
            #expect(try recipient.export(context: context, byteCount: export.L).hex == export.exported_value)
        }
    }
}
