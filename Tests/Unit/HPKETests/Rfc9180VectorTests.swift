import Primitives
import TestSupport
import Testing

@testable import HPKE

struct Rfc9180VectorTests {
    private let vector = Rfc9180Vector.used

    @Test func `the file holds the suite in use with 257 encryptions, and 11 others`() {
        #expect([vector.mode, vector.kem_id, vector.kdf_id, vector.aead_id] == [0, 0x0020, 0x0001, 0x0003])
        #expect(vector.encryptions.count == 257)
        #expect(Set(Rfc9180Vector.all.map { [$0.mode, $0.aead_id] }).count == 12)
    }

    @Test(arguments: Rfc9180Vector.all)
    func `public keys come from private keys`(_ vector: Rfc9180Vector) throws {
        for (scalar, point) in [(vector.skRm, vector.pkRm), (vector.skEm, vector.pkEm)] {
            #expect(try Hex.encode(Rfc9180Vector.privateKey(scalar).publicKey.rawRepresentation) == point)
        }
    }

    @Test func `the key schedule has the RFC's intermediates, on both sides`() throws {
        let recipient = try Rfc9180Vector.privateKey(vector.skRm)
        let ephemeral = try Rfc9180Vector.privateKey(vector.skEm)
        let encapsulated = try DHKEM.encapsulate(to: recipient.publicKey, ephemeral: ephemeral)
        #expect(encapsulated.hex == vector.shared_secret)
        let sharedSecret = try DHKEM.decapsulate(Rfc9180Vector.bytes(vector.enc), with: recipient)
        #expect(sharedSecret.hex == vector.shared_secret)
        let schedule = try KeySchedule(sharedSecret: sharedSecret, info: Rfc9180Vector.bytes(vector.info))
        #expect(schedule.key.hex == vector.key)
        #expect(Hex.encode(schedule.baseNonce) == vector.base_nonce)
    }

    @Test func `the first encryption seals to the RFC's bytes`() throws {
        let encryption = vector.encryptions[0]
        var random = try GivenKey(Rfc9180Vector.bytes(vector.skEm))
        let sealed = try HPKE.seal(
            Rfc9180Vector.bytes(encryption.pt),
            to: X25519PublicKey(rawRepresentation: Rfc9180Vector.bytes(vector.pkRm)),
            info: Rfc9180Vector.bytes(vector.info),
            aad: Rfc9180Vector.bytes(encryption.aad),
            random: &random
        )
        #expect(Hex.encode(sealed.encapsulatedKey) == vector.enc)
        #expect(Hex.encode(sealed.ciphertext) == encryption.ct)
    }

    @Test func `the first encryption opens to the RFC's plaintext`() throws {
        #expect(try Hex.encode(opened(vector)) == vector.encryptions[0].pt)
    }

    /// One key seals one message here. The RFC's further ones are sealed with the key and a nonce that this test
    /// counts.
    @Test func `every encryption of the RFC is one under the schedule's key and nonce`() throws {
        let recipient = try Rfc9180Vector.privateKey(vector.skRm)
        let secret = try DHKEM.decapsulate(Rfc9180Vector.bytes(vector.enc), with: recipient)
        let schedule = try KeySchedule(sharedSecret: secret, info: Rfc9180Vector.bytes(vector.info))
        for (sequence, encryption) in vector.encryptions.enumerated() {
            var nonce = schedule.baseNonce
            nonce[10] ^= UInt8(sequence >> 8)
            nonce[11] ^= UInt8(sequence & 0xFF)
            #expect(Hex.encode(nonce) == encryption.nonce)
            let plaintext = try Rfc9180Vector.bytes(encryption.pt)
            let aad = try Rfc9180Vector.bytes(encryption.aad)
            #expect(Hex.encode(ChaChaPoly.seal(plaintext, key: schedule.key, nonce: nonce, aad: aad)) == encryption.ct)
        }
    }

    @Test(arguments: Rfc9180Vector.all.dropFirst())
    func `what another mode or suite sealed opens as nothing (abuse case 42)`(_ vector: Rfc9180Vector) throws {
        #expect(throws: HPKEError.openFailed) { _ = try opened(vector) }
    }

    private func opened(_ vector: Rfc9180Vector) throws -> [UInt8] {
        let encryption = vector.encryptions[0]
        return try HPKE.open(
            Rfc9180Vector.bytes(encryption.ct)[...],
            encapsulatedKey: Rfc9180Vector.bytes(vector.enc),
            with: Rfc9180Vector.privateKey(vector.skRm),
            info: Rfc9180Vector.bytes(vector.info),
            aad: Rfc9180Vector.bytes(encryption.aad)
        )
    }
}

/// Gives the vector's ephemeral key, then zeros.
private struct GivenKey: RandomSource {
    private var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func fill(_ span: inout MutableRawSpan) {
        for offset in 0..<span.byteCount {
            span.storeBytes(of: bytes.isEmpty ? 0 : bytes.removeFirst(), toByteOffset: offset, as: UInt8.self)
        }
    }
}
