import Envelope
import Primitives
import TestSupport
import Testing

@testable import Keys

struct VerifyingKeyTests {
    private static let bytes: [UInt8] = Array(0..<32)
    private static let base64URL = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    private static let identityText = "sealedpush-identity-1:" + base64URL
    private static let senderText = "sealedpush-sender-1:" + base64URL

    @Test func `the text form is the role's prefix and 43 characters`() throws {
        let identity = try IdentityKey(rawRepresentation: Self.bytes)
        #expect(identity.text == Self.identityText)
        #expect(try IdentityKey(text: identity.text) == identity)
        let sender = try SenderKey(rawRepresentation: Self.bytes)
        #expect(sender.text == Self.senderText)
        #expect(try SenderKey(text: sender.text) == sender)
    }

    @Test func `random keys come back from their text`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let key = IdentityKey(Ed25519PrivateKey(random: &random).publicKey)
            #expect(try IdentityKey(text: key.text) == key, "seed \(seed)")
        }
    }

    @Test func `a key of another role is refused by its prefix`() {
        #expect(throws: KeyTextError.wrongPrefix(expected: "sealedpush-identity-1:")) {
            try IdentityKey(text: Self.senderText)
        }
        #expect(throws: KeyTextError.wrongPrefix(expected: "sealedpush-sender-1:")) {
            try SenderKey(text: Self.identityText)
        }
    }

    @Test(arguments: [
        "", " ", "\n", base64URL, "SEALEDPUSH-IDENTITY-1:" + base64URL, "sealedpush-identity-2:" + base64URL,
        "sealedpush-identity-1" + base64URL, ":" + base64URL, "#" + identityText, "sealedpush-identity-1",
    ])
    func `a text without the prefix is refused, and the error names the prefix`(_ text: String) {
        #expect(throws: KeyTextError.wrongPrefix(expected: "sealedpush-identity-1:")) { try IdentityKey(text: text) }
    }

    @Test(arguments: ["\n", "\r\n", " \t", "\n\n", "\u{A0}", "\u{2028}"])
    func `white space around the text is passed over`(_ space: String) throws {
        let expected = try IdentityKey(rawRepresentation: Self.bytes)
        for text in [space + Self.identityText, Self.identityText + space, space + Self.identityText + space] {
            #expect(try IdentityKey(text: text) == expected)
        }
    }

    @Test(arguments: [" ", "\n", "\t", "\u{0}", "\u{200B}", "\u{301}", "=", "+", "/", "é", "\u{212A}"])
    func `a character that is no base64url is refused in the middle and at the end`(_ character: String) {
        let middle = "sealedpush-identity-1:" + Self.base64URL.prefix(20) + character + Self.base64URL.dropFirst(20)
        let instead = "sealedpush-identity-1:" + Self.base64URL.prefix(20) + character + Self.base64URL.dropFirst(21)
        for text in [middle, instead, Self.identityText + character + "A"] {
            #expect(throws: KeyTextError.notAKey) { try IdentityKey(text: text) }
        }
    }

    @Test(arguments: ["9", "-", "_"])
    func `spare bits that are not zero are refused`(_ last: String) {
        #expect(throws: KeyTextError.notAKey) { try IdentityKey(text: Self.identityText.dropLast() + last) }
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `a key of another length is refused`(_ byteCount: Int) {
        let bytes = [UInt8](repeating: 3, count: byteCount)
        #expect(throws: KeyTextError.notAKey) { try IdentityKey(rawRepresentation: bytes) }
        let text = "sealedpush-identity-1:" + Base64URL.string(bytes)
        #expect(throws: KeyTextError.notAKey) { try IdentityKey(text: text) }
    }

    /// y of the eight points of small order (RFC 8032's curve), then encodings of p, p + 1 and 2^255 - 1.
    @Test(
        arguments: [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ],
        [0, 0x80] as [UInt8]
    )
    func `small-order and non-canonical keys cannot be pinned (protocol v1, rule 7; abuse case 30)`(
        _ hex: String,
        _ sign: UInt8
    ) throws {
        var bytes = try #require(Hex.decode(hex))
        bytes[31] |= sign
        #expect(throws: KeyTextError.notAKey) { try IdentityKey(rawRepresentation: bytes) }
        let text = "sealedpush-sender-1:" + Base64URL.string(bytes)
        #expect(throws: KeyTextError.notAKey) { try SenderKey(text: text) }
    }
}
