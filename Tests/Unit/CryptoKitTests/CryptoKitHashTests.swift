import CryptoKit
import Foundation
import Primitives
import TestSupport
import Testing

/// The stand-in's hashes and what is built on them, against published values and against Primitives.
struct CryptoKitHashTests {
    private let abc = Data("abc".utf8)

    @Test func `each hash gives FIPS 180-4's and RFC 1321's digest of abc, and says its name`() {
        #expect(
            Insecure.MD5.hash(data: abc).description == "MD5 digest: 900150983cd24fb0d6963f7d28e17f72"
        )
        #expect(
            Insecure.SHA1.hash(data: abc).description == "SHA1 digest: a9993e364706816aba3e25717850c26c9cd0d89d"
        )
        #expect(
            CryptoKit.SHA256.hash(data: abc).description
                == "SHA256 digest: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(
            Hex.encode(SHA384.hash(data: abc))
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7"
        )
        #expect(
            Hex.encode(CryptoKit.SHA512.hash(data: abc))
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        )
    }

    @Test func `a copy of a hash goes its own way`() {
        var one = CryptoKit.SHA256()
        one.update(data: Data("a".utf8))
        var other = one
        one.update(data: Data("bc".utf8))
        other.update(data: Data("x".utf8))
        #expect(one.finalize() == CryptoKit.SHA256.hash(data: abc))
        #expect(other.finalize() == CryptoKit.SHA256.hash(data: Data("ax".utf8)))
        // It may go on after its digest.
        one.update(data: abc)
        #expect(one.finalize() == CryptoKit.SHA256.hash(data: Data("abcabc".utf8)))
    }

    @Test(arguments: [0, 1, 63, 64, 65, 200])
    func `HMAC is that of Primitives, for keys shorter and longer than a block`(count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let (bytes, message) = (random.bytes(count: count), random.bytes(count: 100))
        let key = SymmetricKey(data: bytes)
        var expected = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        var elements = expected.mutableSpan
        var output = unsafe elements.mutableBytes
        unsafe HMACSHA256.code(key: bytes.span.bytes, into: &output) { $0.update(message) }
        let code = HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: key)
        #expect(Array(code) == expected)
        #expect(HMAC<CryptoKit.SHA256>.isValidAuthenticationCode(expected, authenticating: message, using: key))
        expected[31] ^= 1
        #expect(!HMAC<CryptoKit.SHA256>.isValidAuthenticationCode(expected, authenticating: message, using: key))
    }

    /// RFC 5869, test case 1.
    @Test func `HKDF derives the RFC's bytes`() throws {
        let salt = try #require(Hex.decode("000102030405060708090a0b0c"))
        let info = try #require(Hex.decode("f0f1f2f3f4f5f6f7f8f9"))
        let key = HKDF<CryptoKit.SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: [UInt8](repeating: 0x0B, count: 22)),
            salt: salt,
            info: info,
            outputByteCount: 42
        )
        #expect(
            unsafe key.withUnsafeBytes { unsafe Hex.encode($0) }
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        )
    }
}
