import CryptoKit
import Foundation
import Platform
import Primitives
import TestSupport
import Testing

/// The stand-in's key agreement and signatures against those of Primitives.
struct CryptoKitKeyTests {
    private static let seeds: ClosedRange<UInt64> = 1...20

    @Test(arguments: seeds)
    func `X25519 gives the keys and the secret that Primitives gives`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (one, two) = (random.bytes(count: 32), random.bytes(count: 32))
        let ours = try X25519PrivateKey(rawRepresentation: unsafe SecretBytes(copying: one.span.bytes))
        let theirs = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: two)
        #expect(
            try Array(Curve25519.KeyAgreement.PrivateKey(rawRepresentation: one).publicKey.rawRepresentation)
                == ours.publicKey.rawRepresentation
        )
        let peer = try X25519PublicKey(rawRepresentation: Array(theirs.publicKey.rawRepresentation))
        let secret = try ours.sharedSecret(with: peer).withBytes { [UInt8](copying: $0) }
        let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: ours.publicKey.rawRepresentation)
        #expect(try theirs.sharedSecretFromKeyAgreement(with: key) == secret)
    }

    @Test func `a point of low order gives no secret`() throws {
        let point = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: [UInt8](repeating: 0, count: 32))
        #expect(throws: CryptoKitError.self) {
            try Curve25519.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: point)
        }
    }

    @Test(arguments: seeds)
    func `Ed25519 signs at random, and Primitives accepts it`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (bytes, message) = (random.bytes(count: 32), random.bytes(count: Int(seed)))
        let ours = try Ed25519PrivateKey(seed: unsafe SecretBytes(copying: bytes.span.bytes))
        let theirs = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        #expect(Array(theirs.publicKey.rawRepresentation) == ours.publicKey.rawRepresentation)
        let signatures = try (0..<4).map { _ in Array(try theirs.signature(for: message)) }
        #expect(Set(signatures).count == 4)
        for signature in signatures {
            #expect(ours.publicKey.isValid(signature: signature, over: message))
            #expect(!ours.publicKey.isValid(signature: signature, over: message + [0]))
        }
        #expect(theirs.publicKey.isValidSignature(ours.signature(over: message), for: message))
        #expect(!theirs.publicKey.isValidSignature(ours.signature(over: message), for: message + [0]))
    }

    /// The reason why Primitives looks at a key's bytes itself: with R of the neutral point and S = 0 anybody has signed.
    @Test func `the stand-in takes an Ed25519 key of small order, as CryptoKit may, and Primitives refuses it`() throws
    {
        let neutral = [1] + [UInt8](repeating: 0, count: 31)
        let forged = neutral + [UInt8](repeating: 0, count: 32)
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: neutral)
        #expect(key.isValidSignature(forged, for: Array("anything".utf8)))
        #expect(throws: PrimitiveError.self) { try Ed25519PublicKey(rawRepresentation: neutral) }
    }

    @Test func `P-256 gives the keys and the secret that Primitives gives`() throws {
        var random = SeededRandom(seed: 256)
        for _ in 0..<20 {
            let bytes = random.bytes(count: 32)
            let ours = try P256PrivateKey(rawRepresentation: unsafe SecretBytes(copying: bytes.span.bytes))
            let theirs = P256.KeyAgreement.PrivateKey()
            let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes).publicKey
            #expect(Array(key.x963Representation) == ours.publicKey.x963Representation)
            let peer = try P256PublicKey(x963Representation: Array(theirs.publicKey.x963Representation))
            let secret = try ours.sharedSecret(with: peer).withBytes { [UInt8](copying: $0) }
            #expect(try theirs.sharedSecretFromKeyAgreement(with: key) == secret)
            #expect(
                try P256.KeyAgreement.PublicKey(compressedRepresentation: key.compressedRepresentation)
                    .rawRepresentation == key.rawRepresentation
            )
        }
    }

    @Test func `a key that was drawn to be compact comes back from its x alone`() throws {
        for _ in 0..<8 {
            let key = P256.Signing.PrivateKey().publicKey
            let compact = try #require(key.compactRepresentation)
            #expect(
                try P256.Signing.PublicKey(compactRepresentation: compact).x963Representation == key.x963Representation
            )
        }
    }

    @Test func `Apple's form of key file is read and written, and each side checks the other's signature`() throws {
        let pem = try String(contentsOf: URL(fileURLWithPath: Self.keys + "/provider.p8"), encoding: .utf8)
        let theirs = try P256.Signing.PrivateKey(pemRepresentation: pem)
        #expect(theirs.pemRepresentation.split(separator: "\n") == pem.split(separator: "\n"))
        #expect(
            try P256.Signing.PrivateKey(derRepresentation: theirs.derRepresentation).rawRepresentation
                == theirs.rawRepresentation
        )
        #expect(
            try P256.Signing.PrivateKey(x963Representation: theirs.x963Representation).rawRepresentation
                == theirs.rawRepresentation
        )
        #expect(
            try P256.Signing.PublicKey(pemRepresentation: theirs.publicKey.pemRepresentation).rawRepresentation
                == theirs.publicKey.rawRepresentation
        )
        let text = Array(pem.utf8)
        let ours = try ES256PrivateKey(pem: unsafe text.span.bytes)
        let message = Array("header.claims".utf8)
        let signature = try theirs.signature(for: message)
        #expect(try ours.publicKey().isValid(rawSignature: Array(signature.rawRepresentation), over: message))
        #expect(try ours.publicKey().isValid(derSignature: Array(signature.derRepresentation), over: message))
        let own = try P256.Signing.ECDSASignature(rawRepresentation: ours.signature(over: message))
        #expect(theirs.publicKey.isValidSignature(own, for: message))
        #expect(!theirs.publicKey.isValidSignature(own, for: message + [0]))
        #expect(
            try P256.Signing.ECDSASignature(derRepresentation: own.derRepresentation).rawRepresentation
                == own.rawRepresentation
        )
    }

    @Test func `bytes that are no key are refused`() {
        #expect(throws: CryptoKitError.incorrectKeySize) { try P256.Signing.PublicKey(rawRepresentation: [1, 2]) }
        #expect(throws: CryptoKitError.invalidParameter) {
            try P256.Signing.PublicKey(rawRepresentation: [UInt8](repeating: 1, count: 64))
        }
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 0, count: 32))
        }
        #expect(throws: CryptoKitASN1Error.invalidPEMDocument) { try P256.Signing.PrivateKey(pemRepresentation: "") }
        #expect(throws: CryptoKitASN1Error.invalidASN1Object) {
            try P256.Signing.PublicKey(derRepresentation: [0x30, 0x00])
        }
        #expect(throws: CryptoKitASN1Error.invalidASN1Object) {
            try P256.Signing.ECDSASignature(derRepresentation: [0x30, 0x06])
        }
    }

    /// RFC 7748 section 5.2 has scalar and point; the derived bytes are ANSI X9.63's with SHA-256.
    @Test func `a shared secret derives keys, and its description has no secret`() throws {
        let scalar = try #require(Hex.decode("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"))
        let point = try #require(Hex.decode("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
        let secret = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: scalar)
            .sharedSecretFromKeyAgreement(with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: point))
        let key = secret.x963DerivedSymmetricKey(
            using: CryptoKit.SHA256.self,
            sharedInfo: Data("SealedPush".utf8),
            outputByteCount: 48
        )
        #expect(
            unsafe key.withUnsafeBytes { unsafe Hex.encode($0) }
                == "ad02b1766cd315d623f4c49a549419746a62cb2f82fa9cdc0e4eefd93fd9e758b925126b23c5f9e84b4f744f2bbd4847"
        )
        let one = secret.hkdfDerivedSymmetricKey(
            using: CryptoKit.SHA256.self,
            salt: point,
            sharedInfo: scalar,
            outputByteCount: 32
        )
        let other = HKDF<CryptoKit.SHA256>.deriveKey(
            inputKeyMaterial: unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) },
            salt: point,
            info: scalar,
            outputByteCount: 32
        )
        #expect(one == other)
        #expect("\(secret)" == "SharedSecret: 32 bytes")
    }

    private static let keys =
        #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/keys-example"
}
