import Primitives
import TestSupport
import Testing

@testable import HPKE

struct Rfc9180VectorTests {
    @Test func `the file holds the one Base suite with 257 encryptions and 3 exports`() throws {
        let vectors = try Rfc9180Vector.load()
        #expect(vectors.count == 1)
        #expect(vectors.map(\.mode) == [0])
        #expect(vectors.map(\.kem_id) == [Int(HPKE.kemID)])
        #expect(vectors.map(\.kdf_id) == [Int(HPKE.kdfID)])
        #expect(vectors.map(\.aead_id) == [Int(HPKE.aeadID)])
        #expect(vectors.map(\.encryptions.count) == [257])
        #expect(vectors.map(\.exports.count) == [3])
    }

    @Test func `the key schedule derives the RFC's key, nonce and exporter secret`() throws {
        let vector = try #require(try Rfc9180Vector.load().first)
        let recipient = try privateKey(vector.skRm)
        #expect(Hex.encode(recipient.publicKey.rawRepresentation) == vector.pkRm)
        let sharedSecret = try DHKEM.decapsulate(bytes(vector.enc), with: recipient)
        #expect(sharedSecret.withBytes { Hex.encode([UInt8](copying: $0)) } == vector.shared_secret)
        let schedule = try KeySchedule(sharedSecret: sharedSecret, info: bytes(vector.info))
        #expect(schedule.key.withBytes { Hex.encode([UInt8](copying: $0)) } == vector.key)
        #expect(Hex.encode(schedule.baseNonce) == vector.base_nonce)
        #expect(schedule.exporterSecret.withBytes { Hex.encode([UInt8](copying: $0)) } == vector.exporter_secret)
    }

    @Test func `all 257 encryptions seal to the RFC's bytes`() throws {
        let vector = try #require(try Rfc9180Vector.load().first)
        var sender = try SenderContext(
            recipient: X25519PublicKey(rawRepresentation: bytes(vector.pkRm)),
            info: bytes(vector.info),
            ephemeral: try privateKey(vector.skEm)
        )
        #expect(Hex.encode(sender.encapsulatedKey) == vector.enc)
        var sealedCount = 0
        for encryption in vector.encryptions {
            let sealed = try sender.seal(bytes(encryption.pt), aad: bytes(encryption.aad))
            #expect(Hex.encode(sealed) == encryption.ct)
            sealedCount += 1
        }
        #expect(sealedCount == 257)
    }

    @Test func `all 257 encryptions open to the RFC's plaintext`() throws {
        let vector = try #require(try Rfc9180Vector.load().first)
        var recipient = try RecipientContext(
            encapsulatedKey: bytes(vector.enc),
            recipient: try privateKey(vector.skRm),
            info: bytes(vector.info)
        )
        var openedCount = 0
        for encryption in vector.encryptions {
            let opened = try recipient.open(bytes(encryption.ct)[...], aad: bytes(encryption.aad))
            #expect(Hex.encode(opened) == encryption.pt)
            openedCount += 1
        }
        #expect(openedCount == 257)
    }

    @Test func `each nonce is the RFC's, past the carry into the second byte`() throws {
        let vector = try #require(try Rfc9180Vector.load().first)
        for (sequence, encryption) in vector.encryptions.enumerated() {
            let nonce = try HPKE.nonce(base: bytes(vector.base_nonce), sequence: UInt64(sequence))
            #expect(Hex.encode(nonce) == encryption.nonce)
        }
    }

    @Test func `all 3 exports are the RFC's, on both sides`() throws {
        let vector = try #require(try Rfc9180Vector.load().first)
        let sender = try SenderContext(
            recipient: X25519PublicKey(rawRepresentation: bytes(vector.pkRm)),
            info: bytes(vector.info),
            ephemeral: try privateKey(vector.skEm)
        )
        let recipient = try RecipientContext(
            encapsulatedKey: bytes(vector.enc),
            recipient: try privateKey(vector.skRm),
            info: bytes(vector.info)
        )
        var exportedCount = 0
        for export in vector.exports {
            let sent = try sender.export(context: bytes(export.exporter_context), byteCount: export.L)
            let received = try recipient.export(context: bytes(export.exporter_context), byteCount: export.L)
            #expect(sent.withBytes { Hex.encode([UInt8](copying: $0)) } == export.exported_value)
            #expect(received.withBytes { Hex.encode([UInt8](copying: $0)) } == export.exported_value)
            exportedCount += 1
        }
        #expect(exportedCount == 3)
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    private func privateKey(_ hex: String) throws -> X25519PrivateKey {
        let raw = try bytes(hex)
        let secret = unsafe SecretBytes(copying: raw.span.bytes)
        return try X25519PrivateKey(rawRepresentation: secret)
    }
}
