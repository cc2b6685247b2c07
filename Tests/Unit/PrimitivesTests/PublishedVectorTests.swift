import Foundation
import TestSupport
import Testing

@testable import Primitives

struct PublishedVectorTests {
    @Test func `X25519 gives the results of RFC 7748`() throws {
        let vectors = try VectorFile("x25519-rfc7748.txt", in: .module).blocks(startingWith: "COUNT")
        #expect(vectors.count == 3)
        for vector in vectors {
            let scalar = try vector.bytes("INPUT_SCALAR").secret
            let key = try X25519PrivateKey(rawRepresentation: scalar)
            let peer = try X25519PublicKey(rawRepresentation: vector.bytes("INPUT_U"))
            let shared = try key.sharedSecret(with: peer)
            #expect(try shared.revealed == vector.bytes("OUTPUT_U"))
        }
    }

    @Test func `HMAC-SHA256 gives the codes of RFC 4231`() throws {
        let vectors = try VectorFile("hmac-sha256-rfc4231.txt", in: .module).blocks(startingWith: "Len")
        #expect(vectors.count >= 6)
        for vector in vectors {
            let message = try vector.bytes("Msg")
            let key = try vector.bytes("Key").secret
            let code = key.withBytes { key in
                SecretBytes(byteCount: 32) { output in
                    HMACSHA256.code(key: key, into: &output) { $0.update(message) }
                }
            }
            #expect(try code.revealed == vector.bytes("MD"))
        }
    }

    @Test func `HMAC-SHA512 gives the codes of RFC 4231`() throws {
        let vectors = try VectorFile("hmac-sha512-rfc4231.txt", in: .module).blocks(startingWith: "Len")
        #expect(vectors.count >= 6)
        for vector in vectors {
            let code = HMACSHA512.code(key: try vector.bytes("Key").secret, over: [].secret, try vector.bytes("Msg"))
            #expect(try code.revealed == vector.bytes("MD"))
        }
    }

    /// By Python's `cryptography` 50.0.2, `HKDFExpand(SHA512(), 150, info)`.
    @Test func `HKDF-Expand with SHA-512 gives another library's bytes`() throws {
        let expandedText = """
            6316216dc075f3103c287787381624910e40375b83cb223ac14a886aecb49bfe53f6d4f637888c94c75d80cc6e611b50af16\
            ea8ea26e2b35e4c357ab527e69f2b26182f9e380d32d6a94376b78cd25e7381857c9504b9cc2360fdda1fe9d930a116a8a69\
            33a29195b4fac34cd9b7f7e913414232117b04933a1bebc9ebb2a8a131a215375ac067555369ffdec1675eca741e097f87f5
            """
        let key = [UInt8](0..<32).secret
        let expanded = try HKDFSHA512.expand(pseudorandomKey: key, info: [0xF0, 0xF1], byteCount: 150)
        #expect(Hex.encode(expanded.revealed) == expandedText)
        for byteCount in [1, 63, 64, 65, 128] {
            let shorter = try HKDFSHA512.expand(pseudorandomKey: key, info: [0xF0, 0xF1], byteCount: byteCount)
            #expect(shorter.revealed == Array(expanded.revealed[..<byteCount]))
        }
    }

    @Test func `HKDF-Expand with SHA-512 gives 255 blocks and no more`() throws {
        let key = [UInt8](0..<32).secret
        let longest = try HKDFSHA512.expand(pseudorandomKey: key, info: [], byteCount: 16_320)
        #expect(longest.byteCount == 16_320)
        let error = refusal { () throws(PrimitiveError) in
            _ = try HKDFSHA512.expand(pseudorandomKey: key, info: [], byteCount: 16_321)
        }
        #expect(error == .outputTooLong(byteCount: 16_321, byteCountMax: 16_320))
    }

    @Test func `HKDF-SHA256 gives the keys of RFC 5869`() throws {
        let vectors = try VectorFile("hkdf-sha256-rfc5869.txt", in: .module).blocks(startingWith: "COUNT")
        #expect(vectors.count == 3)
        for vector in vectors {
            let salt = try vector.bytes("salt")
            let keyingMaterial = try vector.bytes("IKM")
            let extracted = unsafe HKDFSHA256.extract(salt: salt.span.bytes) { $0.update(keyingMaterial) }
            #expect(try extracted.revealed == vector.bytes("PRK"))
            let length = try #require(vector["L"].flatMap { Int($0) })
            let expanded = try HKDFSHA256.expand(
                pseudorandomKey: extracted,
                info: vector.bytes("info"),
                byteCount: length
            )
            #expect(try expanded.revealed == vector.bytes("OKM"))
        }
    }

    @Test func `ChaCha20-Poly1305 seals and opens OpenSSL's vectors`() throws {
        let vectors = try VectorFile("chacha20poly1305-openssl.txt", in: .module).blocks(startingWith: "COUNT")
        #expect(vectors.count == 5)
        #expect(vectors.filter { $0["Result"] != nil }.count == 1)
        for vector in vectors {
            let key = try vector.bytes("Key").secret
            let (nonce, aad) = (try vector.bytes("IV"), try vector.bytes("AAD"))
            let sealed = try vector.bytes("Ciphertext") + vector.bytes("Tag")
            let plaintext = try vector.bytes("Plaintext")
            guard vector["Result"] == nil else {
                let refused = refusal { () throws(PrimitiveError) in
                    _ = try ChaChaPoly.open(sealed[...], key: key, nonce: nonce, aad: aad)
                }
                #expect(refused == .authenticationFailed)
                continue
            }
            #expect(ChaChaPoly.seal(plaintext, key: key, nonce: nonce, aad: aad) == sealed)
            #expect(try ChaChaPoly.open(sealed[...], key: key, nonce: nonce, aad: aad) == plaintext)
        }
    }

    @Test func `Ed25519 signs and verifies the first 128 lines of sign-input`() throws {
        let lines = try VectorFile("ed25519-sign.input.first128", in: .module).lines
        #expect(lines.count == 128)
        for line in lines {
            let fields = try line.split(separator: ":", omittingEmptySubsequences: false)
                .map { try #require(Hex.decode($0)) }
            let (message, signature) = (fields[2], Array(fields[3].prefix(64)))
            let key = try Ed25519PrivateKey(seed: Array(fields[0].prefix(32)).secret)
            let publicKey = try Ed25519PublicKey(rawRepresentation: fields[1])
            #expect(key.publicKey == publicKey)
            let own = key.signature(over: message)
            #expect(own == signature || !Signatures.areRepeatable)
            #expect(publicKey.isValid(signature: own, over: message))
            #expect(publicKey.isValid(signature: signature, over: message))
        }
    }
}
