import Testing

@testable import ExtensionHarness

struct TextLinesTests {
    @Test func `breaks between words`() {
        #expect(broken("one two three", width: 5) == ["one two", "three"])
    }

    @Test func `an empty text has no line`() {
        #expect(broken("", width: 5) == [])
    }

    @Test func `keeps the text's own line breaks, an empty line among them`() {
        #expect(broken("a\n\nb\r\nc", width: 5) == ["a", "", "b", "c"])
    }

    @Test func `breaks a word that is longer than a line`() {
        #expect(broken("aaaaaaaaaa", width: 3) == ["aaaaa", "aaaaa"])
    }

    @Test func `breaks between characters of scripts without spaces`() {
        #expect(broken("日本語の通知です", width: 4) == ["日本語の", "通知です"])
    }

    @Test func `never takes an emoji apart`() {
        #expect(broken("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", width: 2.7) == ["👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧"])
    }

    @Test func `cuts with an ellipsis, and makes room for it`() {
        #expect(broken("one two three four five", width: 5, lineCountMax: 2) == ["one two", "three fo…"])
        #expect(broken("aaaaaaaaaaaaaaaa", width: 3, lineCountMax: 1) == ["aaa…"])
    }

    @Test func `a box that is too narrow for any character still ends`() {
        #expect(broken("ab", width: 0) == ["a", "b"])
        #expect(broken("ab", width: 0, lineCountMax: 1) == ["…"])
    }

    @Test func `a text without width is bounded too`() {
        let lines = broken("a" + String(repeating: "\u{301}", count: 100_000), width: 5)
        #expect(lines.joined().unicodeScalars.count < 2_100)
    }

    @Test(arguments: [
        ("Ada", TextDirection.leftToRight), ("שלום", .rightToLeft), ("مرحبا", .rightToLeft), ("12 شكرا", .rightToLeft),
        ("🙂 Ada שלום", .leftToRight), ("\u{200F}Ada", .rightToLeft), ("\u{200E}שלום", .leftToRight), ("", .leftToRight),
        ("123", .leftToRight),
    ])
    func `begins where its first letter says`(_ text: String, _ direction: TextDirection) {
        #expect(TextDirection(of: text) == direction)
    }

    private func broken(_ text: String, width: Double, lineCountMax: Int = 4) -> [String] {
        TextLines.broken(text, width: width, lineCountMax: lineCountMax)
    }
}
