import TestSupport
import Testing

@testable import Envelope

/// Layout and refusals of the envelope itself. The figures are computed here from the protocol page's terms, and
/// stated.
struct EnvelopeTests {
    @Test(arguments: [
        (PushClass.alert, 2_880, 3_840, 2_822, 2_690, 4_096), (.voip, 3_648, 4_864, 3_590, 3_458, 5_120),
    ])
    func `sizes are those of the protocol page`(
        _ pushClass: PushClass,
        _ envelope: Int,
        _ characters: Int,
        _ frame: Int,
        _ body: Int,
        _ payload: Int
    ) {
        #expect(pushClass.envelopeByteCount == envelope)
        #expect(pushClass.sealedCharacterCount == characters)
        #expect(pushClass.frameByteCount(.x25519) == frame)
        #expect(pushClass.bodyByteCountMax(.x25519) == body)
        #expect(pushClass.payloadByteCountMax == payload)
        // E = header 10 + enc 32 + frame + tag 16; base64url without spare bits; body room = F - 132.
        #expect(envelope == 10 + 32 + frame + 16)
        #expect(envelope % 3 == 0 && characters == envelope * 4 / 3)
        #expect(body == frame - 132)
    }

    @Test func `suite 1 has keys of 32 bytes and the identifier 1`() {
        #expect(Suite.x25519.rawValue == 1)
        #expect(Suite.x25519.encapsulatedKeyByteCount == 32)
        #expect(Suite.x25519.publicKeyByteCount == 32)
        #expect(ProtectionClass.afterFirstUnlock.rawValue == 1 && ProtectionClass.unlocked.rawValue == 2)
    }

    @Test(arguments: PushClass.allCases)
    func `header, encapsulated key and ciphertext lie one behind the other`(_ pushClass: PushClass) throws {
        let ciphertextByteCount = pushClass == .alert ? 2_838 : 3_606
        let ciphertext = (0..<ciphertextByteCount).map { UInt8(truncatingIfNeeded: $0 * 31) }
        let byHand = [0x01, 0x01, 11, 12, 13, 14, 15, 16, 17, 18] + Array(100..<132) + ciphertext
        let envelope = try Envelope(bytes: byHand)
        #expect(envelope.pushClass == pushClass)
        #expect(envelope.header == EnvelopeHeader(suite: .x25519, prekeyID: Array(11...18)))
        #expect(envelope.encapsulatedKey == Array(100..<132))
        #expect(envelope.ciphertext == ciphertext)
        #expect(envelope.bytes == byHand)
    }

    @Test(arguments: PushClass.allCases)
    func `the sealed field is the base64url of all bytes, and comes back`(_ pushClass: PushClass) throws {
        let envelope = Envelope.example(pushClass)
        #expect(envelope.sealedField.count == pushClass.sealedCharacterCount)
        #expect(envelope.sealedField.starts(with: Array("AQEBAgMEBQYHCO7u".utf8)))
        #expect(Base64URL.decode(envelope.sealedField) == envelope.bytes)
        #expect(try Envelope(sealedField: envelope.sealedField) == envelope)
    }

    @Test(arguments: PushClass.allCases)
    func `refuses every shorter text by its length alone`(_ pushClass: PushClass) {
        let field = Envelope.example(pushClass).sealedField
        for count in 0..<field.count where count != PushClass.alert.sealedCharacterCount {
            #expect(throws: EnvelopeError.wrongLength(count: count)) { try Envelope(sealedField: field[..<count]) }
        }
    }

    @Test(arguments: PushClass.allCases)
    func `refuses every shorter run of bytes by its length alone`(_ pushClass: PushClass) {
        let bytes = Envelope.example(pushClass).bytes
        for count in 0..<bytes.count where count != PushClass.alert.envelopeByteCount {
            #expect(throws: EnvelopeError.wrongLength(count: count)) { try Envelope(bytes: Array(bytes[..<count])) }
        }
    }

    @Test(arguments: PushClass.allCases, [1, 2, 3, 4, 1_000, 100_000])
    func `refuses longer texts and bytes, padding characters included`(_ pushClass: PushClass, _ excess: Int) {
        let envelope = Envelope.example(pushClass)
        let characterCount = pushClass.sealedCharacterCount + excess
        for character in [UInt8(ascii: "A"), UInt8(ascii: "="), UInt8(ascii: "\n")] {
            let text = envelope.sealedField + [UInt8](repeating: character, count: excess)
            #expect(throws: EnvelopeError.wrongLength(count: characterCount)) { try Envelope(sealedField: text) }
        }
        let byteCount = pushClass.envelopeByteCount + excess
        let bytes = envelope.bytes + [UInt8](repeating: 0, count: excess)
        #expect(throws: EnvelopeError.wrongLength(count: byteCount)) { try Envelope(bytes: bytes) }
    }

    @Test func `length goes before alphabet, and alphabet before version`() {
        let dots = [UInt8](repeating: UInt8(ascii: "."), count: 3_840)
        #expect(throws: EnvelopeError.wrongLength(count: 3_839)) { try Envelope(sealedField: dots[1...]) }
        #expect(throws: EnvelopeError.notBase64URL) { try Envelope(sealedField: dots) }
        var bytes = [UInt8](repeating: 0xFF, count: 2_880)
        #expect(throws: EnvelopeError.unsupportedVersion(0xFF)) { try Envelope(bytes: bytes) }
        bytes[0] = 1
        #expect(throws: EnvelopeError.unsupportedSuite(0xFF)) { try Envelope(bytes: bytes) }
    }

    /// A position's class is its character's part of a byte (index % 4), at the front, in the middle, at the end.
    @Test(arguments: Array("=+/ \n\r\t.,~%\"\\\u{0}\u{7F}@[`{".utf8) + [0x80, 0xC3, 0xFF])
    func `refuses a character outside the alphabet in each class of position`(_ character: UInt8) {
        let field = Envelope.example().sealedField
        for position in [0, 1, 2, 3, 1_920, 1_921, 1_922, 1_923, 3_836, 3_837, 3_838, 3_839] {
            var text = field
            text[position] = character
            #expect(throws: EnvelopeError.notBase64URL) { try Envelope(sealedField: text) }
        }
    }

    @Test func `a full-width letter is three bytes outside the alphabet`() {
        var text = Envelope.example().sealedField
        text.replaceSubrange(100..<103, with: Array("Ａ".utf8))
        #expect(throws: EnvelopeError.notBase64URL) { try Envelope(sealedField: text) }
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func `knows version 1 only, and suite 1 only`(_ number: UInt8) throws {
        var bytes = Envelope.example().bytes
        bytes[0] = number
        if number != 1 {
            #expect(throws: EnvelopeError.unsupportedVersion(number)) { try Envelope(bytes: bytes) }
        }
        bytes[0] = 1
        bytes[1] = number
        if number != 1 {
            #expect(throws: EnvelopeError.unsupportedSuite(number)) { try Envelope(bytes: bytes) }
        } else {
            #expect(try Envelope(bytes: bytes) == .example())
        }
    }

    @Test(arguments: [RunSeed.here()])
    func `random envelopes come back from their text, and no other bytes have that text`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let bytes = [1, 1] + (0..<2_878).map { _ in UInt8.random(in: 0...255, using: &random) }
            let envelope = try Envelope(bytes: bytes)
            #expect(try Envelope(sealedField: envelope.sealedField).bytes == bytes, "seed \(seed)")
            var other = bytes
            other[Int.random(in: 2..<2_880, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(try Envelope(bytes: other).sealedField != envelope.sealedField, "seed \(seed)")
        }
    }
}
