import Testing

@testable import Envelope

struct JSONStringTests {
    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, [0x22, 0x5C, 0x2F, 0x08, 0x0C, 0x0A, 0x0D, 0x09]),
        (#""\u0041\u00e9\u20AC\uFFFF""#, Array("A\u{E9}\u{20AC}\u{FFFF}".utf8)),
        (#""\ud83d\ude00\uDBFF\uDFFF\uD800\uDC00""#, Array("\u{1F600}\u{10FFFF}\u{10000}".utf8)),
        ("\"\u{7F}\u{80}\u{2028}\u{FEFF}\u{202E}\"", Array("\u{7F}\u{80}\u{2028}\u{FEFF}\u{202E}".utf8)),
        (#""\u0001\u001f""#, [0x01, 0x1F]),
        (#""e\u0301""#, [0x65, 0xCC, 0x81]),
    ])
    func `resolves escapes and changes nothing else`(_ text: String, _ bytes: [UInt8]) throws {
        guard case .string(let string) = accepted(text) else {
            Issue.record("refused")
            return
        }
        #expect(Array(string.utf8) == bytes)
    }

    /// Text is scanned eight bytes at a time, and then one by one.
    @Test func `a quote, an escape, a control character and a byte beyond ASCII are seen at any place`() throws {
        for count in 0...20 {
            for place in 0...count {
                let start = String(repeating: "a", count: place)
                let end = String(repeating: "b", count: count - place)
                #expect(accepted("[\"\(start)\",\"\(end)\"]") == .array([.init(start, 1), .init(end, place + 4)]))
                #expect(accepted("\"\(start)\\n\(end)\"") == .string("\(start)\n\(end)"))
                #expect(accepted("\"\(start)é\(end)\"") == .string("\(start)é\(end)"))
                for character: Unicode.Scalar in ["\u{0}", "\u{1F}", "\n"] {
                    let found = refused("\"\(start)\(character)\(end)\"")
                    #expect(found == JSONError(reason: .controlCharacter, offset: place + 1))
                }
                let broken = Array("\"\(start)".utf8) + [0xC3] + Array("\(end)\"".utf8)
                #expect(throws: JSONError(reason: .invalidUTF8, offset: 1)) {
                    try JSONParser.parse(broken, limits: strict)
                }
            }
        }
    }

    @Test(arguments: [
        #""\a""#, #""\x41""#, #""\'""#, #""\0""#, #""\U0041""#, #""\u{41}""#, #""\u00g0""#, #""\u 041""#, #""\u+041""#,
        #""\u004""#, "\"\\\n\"", "\"\\é\"",
    ])
    func `refuses an escape that JSON does not have`(_ text: String) {
        #expect(refused(text)?.reason == .badEscape)
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\udfffx""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\u0041""#,
        #""\ud83d\ud83d""#,
        #""\ude00\ud83d""#, #""\ud83d\ud83d\ude00""#,
    ])
    func `refuses half of a surrogate pair, in a value and in a name`(_ text: String) {
        #expect(refused(text) == JSONError(reason: .loneSurrogate, offset: 1))
        #expect(refused("{\(text):1}") == JSONError(reason: .loneSurrogate, offset: 2))
    }

    @Test func `refuses NUL as an escape`() {
        #expect(refused(#""a\u0000b""#) == JSONError(reason: .nul, offset: 2))
    }

    @Test(arguments: UInt8.min..<0x20)
    func `refuses a raw control character, NUL among them`(_ control: UInt8) {
        #expect(refused([0x22, 0x61, control, 0x22]) == JSONError(reason: .controlCharacter, offset: 2))
    }

    @Test(arguments: [
        [0x80], [0xBF], [0xFF], [0xFE], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3, 0x28], [0xE2, 0x28, 0xA1],
        // Overlong: '/' in two, three and four bytes, NUL as Java writes it, '"' in two.
        [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xC0, 0x80], [0xC0, 0xA2],
        // Surrogates as UTF-8, one and a pair (CESU-8); beyond U+10FFFF; five and six bytes.
        [0xED, 0xA0, 0x80], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80],
    ])
    func `refuses bytes that are not UTF-8, in a value and in a name`(_ bytes: [UInt8]) {
        let text = [0x22, 0x61] + bytes + [0x22]
        #expect(refused(text)?.reason == .invalidUTF8)
        #expect(refused(Array("{".utf8) + text + Array(":1}".utf8))?.reason == .invalidUTF8)
    }

    @Test func `a character that begins raw and goes on as an escape is not UTF-8`() {
        #expect(refused([0x22, 0xC3] + Array(#"\u00a9""#.utf8))?.reason == .invalidUTF8)
    }

    @Test func `all Unicode scalars but NUL survive, raw where JSON allows it and escaped`() {
        for block in stride(from: UInt32(0x20), to: 0x11_0000, by: 0x400) {
            var raw = ""
            var escaped = ""
            for value in block..<min(block + 0x400, 0x11_0000) {
                guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
                raw.unicodeScalars.append(scalar)
                for unit in Character(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
            let expected = Array(raw.utf8)
            for text in [raw, escaped] {
                guard case .string(let string) = accepted("\"\(text)\"") else {
                    Issue.record("refused in the block of U+\(String(block, radix: 16))")
                    continue
                }
                #expect(string.utf8.elementsEqual(expected), "block of U+\(String(block, radix: 16))")
            }
        }
    }
}

extension JSONValue {
    fileprivate init(_ text: String, _ offset: Int) { self.init(content: .string(text), offset: offset) }
}
