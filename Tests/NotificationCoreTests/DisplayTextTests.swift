import Testing

@testable import NotificationCore

struct DisplayTextTests {
    @Test(arguments: [
        "Grüße aus Zürich", "مرحبا بالعالم", "שלום", "می‌خواهم", "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇨🇭 👍🏽 ❤️", "नमस्ते", "Tiếng Việt", "e\u{301}", "שָׁ֑ל",
        "a\u{200F}b",
    ])
    func `ordinary text of any script stays as it is`(_ text: String) {
        #expect(Array(DisplayText.safe(text, in: .line).unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test(arguments: Array(0x202A...0x202E) + Array(0x2066...0x2069))
    func `nothing turns the direction of the text (abuse case 20)`(_ value: Int) throws {
        let control = try #require(Unicode.Scalar(UInt32(value)))
        #expect(DisplayText.safe("photo\(control)gpj.exe", in: .line) == "photogpj.exe")
    }

    @Test(arguments: [0x00, 0x07, 0x1B, 0x7F, 0x85, 0x9B, 0x200B, 0x2060, 0xFEFF, 0xAD, 0x3164, 0xFFF9])
    func `what cannot be seen, or controls a terminal, is gone (abuse case 20)`(_ value: Int) throws {
        let scalar = try #require(Unicode.Scalar(UInt32(value)))
        let expected = value == 0x85 ? "pay pal" : "paypal"
        #expect(DisplayText.safe("pay\(scalar)pal", in: .line) == expected)
    }

    @Test func `a hundred thousand combining marks become four (abuse case 20)`() {
        let text = "Z" + String(repeating: "\u{301}", count: 100_000) + "!"
        #expect(Array(DisplayText.safe(text, in: .paragraph).unicodeScalars).count == 6)
    }

    @Test func `a flood of lines becomes one empty line, and a title has one line (abuse case 20)`() {
        #expect(DisplayText.safe("a" + String(repeating: "\n", count: 1_000) + "b", in: .paragraph) == "a\n\nb")
        #expect(DisplayText.safe("a\r\nb\u{2028}c", in: .paragraph) == "a\nb\nc")
        #expect(DisplayText.safe("a\r\nb\u{2028}c", in: .line) == "a b c")
    }

    @Test(arguments: [(DisplayText.Place.line, 120), (.paragraph, 2_000)])
    fileprivate func `a text without end ends (abuse case 20)`(_ place: DisplayText.Place, _ count: Int) {
        let shown = DisplayText.safe(String(repeating: "é", count: 1_000_000), in: place)
        #expect(shown.count == count + 1)
        #expect(shown.last == "…")
        #expect(DisplayText.safe(String(repeating: "é", count: count), in: place).count == count)
    }

    @Test(arguments: ["", " ", "\u{200B}\u{2060}", "\u{202E}\u{202C}", "\n\n", "\u{FEFF} \t"])
    func `a text of which nothing can be seen is none (abuse case 20)`(_ text: String) {
        #expect(DisplayText.safe(text, in: .paragraph) == "")
    }
}
