import CryptoKit
import Foundation
import Primitives
import TestSupport
import Testing

/// The stand-in's ciphers against those of Primitives.
struct CryptoKitCipherTests {
    private let message: [UInt8]
    private let aad: [UInt8]
    private let nonce: [UInt8]
    private let keyBytes: [UInt8]

    init() {
        var random = SeededRandom(seed: 24)
        message = random.bytes(count: 77)
        aad = random.bytes(count: 13)
        nonce = random.bytes(count: 12)
        keyBytes = random.bytes(count: 32)
    }

    private var own: SecretBytes { unsafe SecretBytes(copying: keyBytes.span.bytes) }
    private var key: SymmetricKey { SymmetricKey(data: keyBytes) }

    @Test func `AES-GCM seals what Primitives opens, and opens what it seals`() throws {
        let box = try AES.GCM.seal(message, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: aad)
        let ours = AESGCM.seal(message, key: own, nonce: nonce, aad: aad)
        #expect(Array(box.ciphertext + box.tag) == ours)
        #expect(box.combined.map(Array.init) == nonce + ours)
        let other = try AES.GCM.SealedBox(combined: nonce + ours)
        #expect(try Array(AES.GCM.open(other, using: key, authenticating: aad)) == message)
    }

    @Test func `ChaChaPoly seals what Primitives opens, and opens what it seals`() throws {
        let box = try CryptoKit.ChaChaPoly.seal(
            message,
            using: key,
            nonce: CryptoKit.ChaChaPoly.Nonce(data: nonce),
            authenticating: aad
        )
        let ours = Primitives.ChaChaPoly.seal(message, key: own, nonce: nonce, aad: aad)
        #expect(Array(box.combined) == nonce + ours)
        let other = try CryptoKit.ChaChaPoly.SealedBox(combined: nonce + ours)
        #expect(try Array(CryptoKit.ChaChaPoly.open(other, using: key, authenticating: aad)) == message)
    }

    @Test func `each flipped bit of a tag is refused, without a further reason`() throws {
        let box = try AES.GCM.seal(message, using: key)
        for bit in 0..<128 {
            var tag = Array(box.tag)
            tag[bit / 8] ^= 1 << (bit % 8)
            let wrong = try AES.GCM.SealedBox(nonce: box.nonce, ciphertext: box.ciphertext, tag: tag)
            #expect(throws: CryptoKitError.authenticationFailure) { try AES.GCM.open(wrong, using: key) }
        }
    }

    @Test func `wrong sizes are refused as Apple's documentation names them`() throws {
        #expect(throws: CryptoKitError.incorrectParameterSize) { try AES.GCM.Nonce(data: nonce.dropLast()) }
        #expect(throws: CryptoKitError.incorrectParameterSize) { try AES.GCM.SealedBox(combined: nonce) }
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try CryptoKit.ChaChaPoly.Nonce(data: nonce + [0])
        }
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try AES.GCM.seal(message, using: SymmetricKey(data: [1, 2, 3]))
        }
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try CryptoKit.ChaChaPoly.seal(message, using: SymmetricKey(size: .bits128))
        }
        // A nonce of another length than 12 has no combined form.
        let long = try AES.GCM.seal(message, using: key, nonce: AES.GCM.Nonce(data: nonce + nonce))
        #expect(long.combined == nil)
        #expect(try Array(AES.GCM.open(long, using: key)) == message)
    }

    @Test func `nonces and keys are new each time`() throws {
        #expect(Array(AES.GCM.Nonce()) != Array(AES.GCM.Nonce()))
        #expect(SymmetricKey(size: .bits256) != SymmetricKey(size: .bits256))
        #expect(SymmetricKey(size: .bits192).bitCount == 192)
    }
}
