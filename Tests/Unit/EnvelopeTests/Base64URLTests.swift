import Testing

@testable import Envelope

struct Base64URLTests {
    @Test(arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE")])
    func `encodes and decodes RFC 4648 section 10 without padding`(_ plain: String, _ encoded: String) {
        #expect(Base64URL.string(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(Array(encoded.utf8)) == Array(plain.utf8))
    }

    @Test func `every byte survives the round trip at every alignment`() {
        for shift in 0..<3 {
            let bytes = [UInt8](repeating: 0xA5, count: shift) + Array(0...255)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Zg==", "Zg=", "Z", "Zm9vY", "Zh", "Zm9", "AB", "AAB", "AA=A", "AAAA====", "Zm9v\n", " Zm9v", "Zm 9v", "+/+/",
        "Zm9v\u{0}", "Ｚg", "=", "Zm8=",
    ])
    func `refuses every text that is not canonical`(_ text: String) {
        #expect(Base64URL.decode(Array(text.utf8)) == nil)
    }

    @Test func `in constant time each character has its value, and any other byte none`() {
        for byte in 0...UInt8.max {
            let value = Base64URL.secretValue(of: byte)
            #expect(Base64URL.value(of: byte).map(UInt32.init) ?? 0x40 == (value < 0x40 ? value : 0x40), "\(byte)")
        }
    }

    @Test func `for two characters exactly one of sixteen spare-bit spellings decodes`() {
        var accepted = 0
        for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
        where Base64URL.decode([UInt8(ascii: "Z"), last]) != nil { accepted += 1 }
        #expect(accepted == 4)
    }

    @Test func `any byte outside the alphabet is seen at any place of a text of any length`() {
        for count in 1...25 {
            let text = [UInt8](repeating: UInt8(ascii: "_"), count: count)
            #expect(Base64URL.isOfAlphabet(text))
            for place in 0..<count {
                for byte in 0...UInt8.max {
                    var other = text
                    other[place] = byte
                    guard Base64URL.isOfAlphabet(other) != (Base64URL.value(of: byte) != nil) else { continue }
                    Issue.record("byte \(byte) at \(place) of \(count)")
                }
            }
        }
        #expect(Base64URL.isOfAlphabet([]))
    }
}
