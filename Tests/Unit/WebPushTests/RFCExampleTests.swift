import Envelope
import Primitives
import Testing

@testable import WebPush

struct RFCExampleTests {
    @Test func `the example of RFC 8291 opens`() throws {
        let example = try RFC8291Example.load()
        let opener = WebPushOpener(keys: try example.keys())
        let plaintext = try opener.open(record: example.body.bytes())
        #expect(try plaintext == example.plaintext.bytes())
        #expect(String(decoding: plaintext, as: UTF8.self) == "When I grow up, I want to be a watermelon")
        #expect(try opener.open(field: example.body).body == "When I grow up, I want to be a watermelon")
    }

    @Test func `the record of RFC 8291 has the parts that its appendix lists`() throws {
        let example = try RFC8291Example.load()
        let record = try WebPushRecord(bytes: example.body.bytes())
        #expect(Base64URL.string(record.salt) == example.salt)
        #expect(Base64URL.string(record.senderKey.x963Representation) == example.as_public)
        #expect(Base64URL.string(record.ciphertext) == example.ciphertext)
    }

    @Test func `every intermediate value is that of RFC 8291 appendix A`() throws {
        let example = try RFC8291Example.load()
        let receiver = try P256PrivateKey(rawRepresentation: example.ua_private.secret())
        let sender = try P256PrivateKey(rawRepresentation: example.as_private.secret())
        let receiverPoint = receiver.publicKey
        let senderPoint = sender.publicKey
        #expect(Base64URL.string(receiverPoint.x963Representation) == example.ua_public)
        #expect(Base64URL.string(senderPoint.x963Representation) == example.as_public)

        let sharedSecret = try receiver.sharedSecret(with: senderPoint)
        let sendersSecret = try sender.sharedSecret(with: receiverPoint).revealed
        let ecdhSecret = sharedSecret.revealed
        #expect(ecdhSecret == example.ecdh_secret)
        #expect(sendersSecret == example.ecdh_secret)

        let keyInfo = WebPushKeySchedule.keyInfo(receiver: receiverPoint, sender: senderPoint)
        #expect(Base64URL.string(keyInfo) == example.key_info)
        let prkKey = WebPushKeySchedule.pseudorandomKey(
            sharedSecret: sharedSecret,
            authenticationSecret: try example.auth_secret.secret()
        )
        let prkKeyText = prkKey.revealed
        #expect(prkKeyText == example.prk_key)
        let keyingMaterial = try WebPushKeySchedule.keyingMaterial(pseudorandomKey: prkKey, keyInfo: keyInfo)
        let ikm = keyingMaterial.revealed
        #expect(ikm == example.ikm)

        let pseudorandomKey = ContentEncryption.pseudorandomKey(
            salt: try example.salt.bytes(),
            keyingMaterial: keyingMaterial
        )
        let prk = pseudorandomKey.revealed
        #expect(prk == example.prk)
        #expect(Base64URL.string(ContentEncryption.keyInfo) == example.cek_info)
        let cek = try ContentEncryption.contentKey(pseudorandomKey).revealed
        #expect(cek == example.cek)
        #expect(Base64URL.string(ContentEncryption.nonceInfo) == example.nonce_info)
        let nonce = try ContentEncryption.nonce(pseudorandomKey)
        #expect(Base64URL.string(nonce) == example.nonce)

        let padded = try AESGCM.open(
            example.ciphertext.bytes()[...],
            key: example.cek.secret(),
            nonce: example.nonce.bytes(),
            aad: []
        )
        #expect(Base64URL.string(padded) == example.padded_plaintext)
        let unpadded = try #require(ContentEncryption.unpadded(padded))
        #expect(Base64URL.string(unpadded) == example.plaintext)
    }

    /// Its header has no key id, which Web Push does not allow, so the record is taken out by hand.
    @Test func `the example of RFC 8188 section 3-1 opens`() throws {
        let example = try RFC8188Example.load().oneRecord
        let body = try example.body.bytes()
        #expect(body[16..<21] == [0, 0, 0x10, 0, 0])
        let plaintext = try ContentEncryption.open(
            Array(body[21...]),
            salt: Array(body[..<16]),
            keyingMaterial: example.key.secret()
        )
        #expect(try #require(plaintext) == Array(example.plaintext.utf8))
    }

    @Test func `the first of several records, as in RFC 8188 section 3-2, is not taken for the whole`() throws {
        let example = try RFC8188Example.load().twoRecords
        let body = try example.body.bytes()
        // rs = 25, idlen = 2.
        #expect(body[16..<21] == [0, 0, 0, 25, 2])
        let first = Array(body[23..<48])
        let plaintext = try ContentEncryption.open(
            first,
            salt: Array(body[..<16]),
            keyingMaterial: example.key.secret()
        )
        // It is genuine, and its delimiter announces another.
        #expect(plaintext == nil)
        #expect(throws: WebPushRecordError.wrongKeyIDLength(2)) { try WebPushRecord(bytes: body) }
    }
}
