import Envelope
import Primitives
import TestSupport
import Testing

@testable import Keys

/// A bundle with one fault. The times have a suite of their own.
struct KeyBundleRefusalTests {
    private let device = Device(seed: 110)

    @Test func `a bundle truncated at every length is malformed`() {
        let bytes = BundleBytes(for: device, classes: [1, 2]).bytes(signedBy: device.key)
        for count in bytes.indices { #expect(device.refusal(of: Array(bytes[..<count])) == .malformed, "\(count)") }
    }

    @Test(arguments: [[0], [0xFF], [UInt8](repeating: 0, count: 50)])
    func `bytes behind the signature make a bundle malformed (protocol v1, rule 10)`(_ trailer: [UInt8]) {
        #expect(device.refusal { $0.trailer = trailer } == .malformed)
    }

    @Test(arguments: [0, 2, 0xFF] as [UInt8])
    func `another version is unsupported, and named`(_ version: UInt8) {
        #expect(device.refusal { $0.version = version } == .unsupportedVersion(version))
    }

    @Test func `a bundle of another identity, well signed by it, is refused (protocol v1, rule 12; abuse case 29)`() {
        let other = Device(seed: 111)
        let bytes = BundleBytes(for: other).bytes(signedBy: other.key)
        #expect(device.refusal(of: bytes) == .otherIdentity)
    }

    @Test(arguments: [
        "com.example.chat.voip", "com.example.chat.NotificationService", "com.example.cha", "com.example.chaT", "",
    ])
    func `a bundle for another topic is refused, suffix and case included (protocol v1, rule 5)`(_ topic: String) {
        #expect(device.refusal { $0.topic = Array(topic.utf8) } == .otherTopic)
    }

    @Test func `a bundle signed by another key than it names is refused (abuse case 29)`() {
        let other = Device(seed: 112)
        #expect(device.refusal(of: BundleBytes(for: device).bytes(signedBy: other.key)) == .badSignature)
    }

    @Test func `a signature over the content without its context is refused`() {
        let signed = BundleBytes(for: device).bytes(signedBy: device.key)
        let content = Array(signed.dropLast(64))
        #expect(device.refusal(of: content + device.key.signature(over: content)) == .badSignature)
        let message = [20] + Array("SealedPush/1 message".utf8) + content
        #expect(device.refusal(of: content + device.key.signature(over: message)) == .badSignature)
    }

    /// Eight tests so that they run in parallel; together every bit of the 181 bytes.
    @Test(arguments: 0..<8)
    func `every single bit of a bundle, flipped, is refused for what it is part of`(_ bit: Int) {
        let bytes = BundleBytes(for: device).bytes(signedBy: device.key)
        let mask: UInt8 = 1 << bit
        for offset in bytes.indices {
            var flipped = bytes
            flipped[offset] ^= mask
            let refusal = device.refusal(of: flipped)
            switch offset {
            case 0: #expect(refusal == .unsupportedVersion(1 ^ mask))
            case 1..<33: #expect(refusal == .otherIdentity)
            // A length of 144 exceeds the rest.
            case 49: #expect(refusal == (16 ^ mask <= 131 ? .otherTopic : .malformed))
            case 50..<66: #expect(refusal == .otherTopic)
            // Three entries: the signature is parsed as the second, and is invalid.
            case 66 where 1 ^ mask == 3: #expect(refusal == .malformed || isUnsupportedSuite(refusal))
            case 66: #expect(refusal == .malformed)
            case 67: #expect(refusal == .unsupportedSuite(1 ^ mask))
            case 68: #expect(refusal == .malformed)
            default: #expect(refusal == .badSignature, "byte \(offset)")
            }
        }
    }

    @Test func `a bundle longer than any can be is not looked at`() {
        let bytes = [2] + [UInt8](repeating: 0, count: KeyBundle.byteCountMax)
        #expect(device.refusal(of: bytes) == .malformed)
        #expect(device.refusal(of: bytes.dropLast()) == .unsupportedVersion(2))
    }

    /// RFC 8032 section 5.1.7: S must be below the group order; S + L verifies where that is not checked.
    @Test func `a bundle whose signature was changed to S + L is refused (protocol v1, rule 7)`() {
        let bytes = BundleBytes(for: device).bytes(signedBy: device.key)
        let order: [UInt8] =
            [
                0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
            ] + [UInt8](repeating: 0, count: 15) + [0x10]
        var carry: UInt16 = 0
        let sum = zip(bytes.suffix(32), order).map { digit, added in
            carry = UInt16(digit) + UInt16(added) + carry >> 8
            return UInt8(truncatingIfNeeded: carry)
        }
        #expect(device.refusal(of: bytes) == nil)
        #expect(device.refusal(of: bytes.dropLast(32) + sum) == .badSignature)
    }

    @Test func `a signature whose R is a point of small order is refused (protocol v1, rule 7)`() {
        let bytes = BundleBytes(for: device).bytes(signedBy: device.key)
        let identityPoint = [1] + [UInt8](repeating: 0, count: 31)
        #expect(device.refusal(of: bytes.dropLast(64) + identityPoint + bytes.suffix(32)) == .badSignature)
    }

    @Test func `no entry and more than four are malformed, well signed as they are`() {
        #expect(device.refusal { $0.entries = [] } == .malformed)
        #expect(device.refusal { $0.entries = Array(repeating: $0.entries[0], count: 5) } == .malformed)
    }

    @Test(arguments: [0, 2, 3] as [UInt8])
    func `a count that is not the entries' is refused`(_ count: UInt8) {
        let refusal = device.refusal { $0.count = count }
        #expect(refusal == .malformed || isUnsupportedSuite(refusal))
    }

    @Test(arguments: [0, 2, 0xFF] as [UInt8])
    func `an unknown suite is unsupported, and named`(_ suite: UInt8) {
        #expect(device.refusal { $0.entries[0].suite = suite } == .unsupportedSuite(suite))
    }

    @Test(arguments: [0, 3, 0xFF] as [UInt8])
    func `an unknown protection class is malformed`(_ protectionClass: UInt8) {
        #expect(device.refusal { $0.entries[0].protectionClass = protectionClass } == .malformed)
    }

    @Test(arguments: [[2, 1], [1, 1], [2, 2], [1, 2, 1], [1, 2, 2]] as [[UInt8]])
    func `entries out of order, or twice, are malformed, well signed as they are`(_ classes: [UInt8]) {
        #expect(device.refusal(classes: classes) { _ in } == .malformed)
    }

    /// RFC 7748's and libsodium's list; the last with the bit that X25519 ignores.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0100000000000000000000000000000000000000000000000000000000000080",
    ])
    func `a low-order prekey is refused, rightly signed as it is`(_ key: String) throws {
        let key = try #require(Hex.decode(key))
        #expect(device.refusal { $0.entries[0].key = key } == .lowOrderPrekey)
        #expect(device.refusal(classes: [1, 2]) { $0.entries[1].key = key } == .lowOrderPrekey)
    }

    @Test func `random bytes that begin as a bundle are refused`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let bytes = BundleBytes(for: device, classes: [1, 2]).bytes(signedBy: device.key)
        for _ in 0..<500 {
            let kept = Int.random(in: 0..<bytes.count, using: &random)
            let junk = random.bytes(count: Int.random(in: 1...300, using: &random))
            #expect(device.refusal(of: Array(bytes[..<kept]) + junk) != nil, "seed \(seed)")
        }
    }

    private func isUnsupportedSuite(_ refusal: KeyBundleError?) -> Bool {
        if case .unsupportedSuite = refusal { true } else { false }
    }
}
