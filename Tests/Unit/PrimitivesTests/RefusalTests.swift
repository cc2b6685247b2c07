import TestSupport
import Testing

@testable import Primitives

struct RefusalTests {
    /// The points of order 1, 2, 4 and 8 on Curve25519 and its twist, and their non-canonical spellings
    /// (RFC 7748 section 6.1 and libsodium's own list).
    static let lowOrderKeys = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    @Test(arguments: lowOrderKeys)
    func `a low-order X25519 key is recognized and agrees on nothing`(_ hex: String) throws {
        let peer = try X25519PublicKey(rawRepresentation: #require(Hex.decode(hex)))
        var random = SeededRandom(seed: 1)
        let key = X25519PrivateKey(random: &random)
        #expect(peer.isLowOrder)
        #expect(refusal { () throws(PrimitiveError) in _ = try key.sharedSecret(with: peer) } == .lowOrderPublicKey)
    }

    @Test func `a random X25519 key is not of low order`() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<100 { #expect(!X25519PrivateKey(random: &random).publicKey.isLowOrder) }
    }

    /// The eight points of small order, with either sign bit, and y = p and p + 1, which are not canonical.
    static let unacceptablePoints = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]

    @Test(arguments: unacceptablePoints)
    func `an Ed25519 key of small order or not canonical cannot be pinned`(_ hex: String) throws {
        let bytes = try #require(Hex.decode(hex))
        #expect(throws: PrimitiveError.unacceptablePublicKey) { try Ed25519PublicKey(rawRepresentation: bytes) }
    }

    @Test(arguments: unacceptablePoints)
    func `a signature whose R is of small order or not canonical is refused`(_ hex: String) throws {
        var random = SeededRandom(seed: 3)
        let key = Ed25519PrivateKey(random: &random)
        let signature = try #require(Hex.decode(hex)) + key.signature(over: [1]).suffix(32)
        #expect(!key.publicKey.isValid(signature: signature, over: [1]))
    }

    @Test func `a signature with S raised by the group order is refused`() throws {
        var random = SeededRandom(seed: 4)
        let key = Ed25519PrivateKey(random: &random)
        var signature = key.signature(over: [1, 2, 3])
        #expect(key.publicKey.isValid(signature: signature, over: [1, 2, 3]))
        let order = try #require(
            Hex.decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        )
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            signature[32 + index] = UInt8(sum & 0xFF)
            carry = sum >> 8
        }
        #expect(!key.publicKey.isValid(signature: signature, over: [1, 2, 3]))
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `keys of another length are refused`(_ count: Int) {
        let bytes = [UInt8](repeating: 9, count: count)
        #expect(throws: PrimitiveError.wrongByteCount(of: .publicKey, expected: 32, actual: count)) {
            try X25519PublicKey(rawRepresentation: bytes)
        }
        #expect(throws: PrimitiveError.wrongByteCount(of: .publicKey, expected: 32, actual: count)) {
            try Ed25519PublicKey(rawRepresentation: bytes)
        }
    }

    @Test func `every flipped bit and every truncation of a ciphertext is one opaque refusal`() throws {
        let key = [UInt8](repeating: 7, count: 32).secret
        let nonce = [UInt8](repeating: 1, count: 12)
        let sealed = ChaChaPoly.seal([1, 2, 3, 4], key: key, nonce: nonce, aad: [5])
        for bit in 0..<sealed.count * 8 {
            var flipped = sealed
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(
                refusal { () throws(PrimitiveError) in
                    _ = try ChaChaPoly.open(flipped[...], key: key, nonce: nonce, aad: [5])
                } == .authenticationFailed
            )
        }
        for count in 0..<sealed.count {
            #expect(
                refusal { () throws(PrimitiveError) in
                    _ = try ChaChaPoly.open(sealed[..<count], key: key, nonce: nonce, aad: [5])
                } == .authenticationFailed
            )
        }
    }

    @Test func `HKDF refuses more than 255 blocks`() {
        let key = [UInt8](repeating: 7, count: 32).secret
        #expect(
            refusal { () throws(PrimitiveError) in
                _ = try HKDFSHA256.expand(pseudorandomKey: key, info: [], byteCount: 8_161)
            } == .outputTooLong(byteCount: 8_161, byteCountMax: 8_160)
        )
    }
}
