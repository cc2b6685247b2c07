import TestSupport
import Testing

@testable import Primitives

struct AESGCMTests {
    /// Cases 1 to 4 (AES-128) and 13 to 16 (AES-256) of "The Galois/Counter Mode of Operation", McGrew and Viega,
    /// appendix B: the ones with 12-byte nonces.
    struct Published: Sendable, CustomTestStringConvertible {
        let number: Int
        let key, nonce, plaintext, aad, ciphertext, tag: String
        var testDescription: String { "case \(number)" }
    }

    private static let longKey = "feffe9928665731c6d6a8f9467308308"
    private static let longPlaintext = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """
    private static let zeros = String(repeating: "0", count: 32)
    private static let zeroNonce = String(repeating: "0", count: 24)

    static let published = [
        Published(
            number: 1,
            key: zeros,
            nonce: zeroNonce,
            plaintext: "",
            aad: "",
            ciphertext: "",
            tag: "58e2fccefa7e3061367f1d57a4e7455a"
        ),
        Published(
            number: 2,
            key: zeros,
            nonce: zeroNonce,
            plaintext: zeros,
            aad: "",
            ciphertext: "0388dace60b6a392f328c2b971b2fe78",
            tag: "ab6e47d42cec13bdf53a67b21257bddf"
        ),
        Published(
            number: 4,
            key: longKey,
            nonce: "cafebabefacedbaddecaf888",
            plaintext: longPlaintext,
            aad: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            ciphertext: """
                42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091
                """,
            tag: "5bc94fbc3221a5db94fae95ae7121a47"
        ),
        Published(
            number: 13,
            key: zeros + zeros,
            nonce: zeroNonce,
            plaintext: "",
            aad: "",
            ciphertext: "",
            tag: "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        Published(
            number: 14,
            key: zeros + zeros,
            nonce: zeroNonce,
            plaintext: zeros,
            aad: "",
            ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"
        ),
        Published(
            number: 16,
            key: longKey + longKey,
            nonce: "cafebabefacedbaddecaf888",
            plaintext: longPlaintext,
            aad: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            ciphertext: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
                """,
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ]

    @Test(arguments: published)
    func `seals and opens the published cases`(_ vector: Published) throws {
        let key = try bytes(vector.key).secret
        let (nonce, aad) = (try bytes(vector.nonce), try bytes(vector.aad))
        let plaintext = try bytes(vector.plaintext)
        let sealed = try bytes(vector.ciphertext) + bytes(vector.tag)
        #expect(AESGCM.seal(plaintext, key: key, nonce: nonce, aad: aad) == sealed)
        #expect(try AESGCM.open(sealed[...], key: key, nonce: nonce, aad: aad) == plaintext)
    }

    @Test(arguments: AESGCM.keyByteCounts)
    func `every flipped bit, every truncation and one byte more is one opaque refusal`(_ keyByteCount: Int) {
        let key = [UInt8](repeating: 7, count: keyByteCount).secret
        let nonce = [UInt8](repeating: 1, count: 12)
        let sealed = AESGCM.seal([1, 2, 3, 4], key: key, nonce: nonce, aad: [5])
        for bit in 0..<sealed.count * 8 {
            var flipped = sealed
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(opens(flipped[...], key, nonce, [5]) == false)
        }
        for count in 0..<sealed.count { #expect(opens(sealed[..<count], key, nonce, [5]) == false) }
        #expect(opens((sealed + [0])[...], key, nonce, [5]) == false)
        #expect(opens(sealed[...], key, nonce, []) == false)
        #expect(opens(sealed[...], key, nonce, [5, 0]) == false)
        #expect(opens(sealed[...], key, [UInt8](repeating: 2, count: 12), [5]) == false)
        #expect(opens(sealed[...], key, nonce, [5]) == true)
    }

    @Test func `a slice opens that does not begin at 0`() throws {
        let key = [UInt8](repeating: 7, count: 16).secret
        let nonce = [UInt8](repeating: 1, count: 12)
        let padded = [0, 0, 0] + AESGCM.seal([1, 2, 3], key: key, nonce: nonce, aad: [])
        #expect(try AESGCM.open(padded[3...], key: key, nonce: nonce, aad: []) == [1, 2, 3])
    }

    private func opens(_ text: ArraySlice<UInt8>, _ key: borrowing SecretBytes, _ nonce: [UInt8], _ aad: [UInt8])
        -> Bool
    {
        refusal { () throws(PrimitiveError) in
            _ = try AESGCM.open(text, key: key, nonce: nonce, aad: aad)
        } != .authenticationFailed
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }
}
