import TestSupport
import Testing

@testable import Opening

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

    @Test(arguments: ["\u{202E}", "\u{200B}", "\u{0}", "\u{2060}"])
    func `marks that something hidden keeps apart are one stack all the same (abuse case 20)`(_ hidden: String) {
        let text = "Z" + String(repeating: "\u{301}\u{302}\u{303}\u{304}" + hidden, count: 1_000) + "!"
        #expect(Array(DisplayText.safe(text, in: .line).unicodeScalars).count == 6)
    }

    @Test(arguments: [
        "\u{200D}\u{200C}", "\u{FE0F}\u{FE0E}", "\u{200E}\u{200F}\u{61C}", "\u{E0041}\u{E0042}", "\u{2800}\u{2800}",
        "\u{301}\u{20DD}",
        "\u{E0100}", "\u{180B}", "\u{1D173}", "\u{17B4}", "\u{34F}", "\u{FFF0}", "\u{2800}\n\u{200D}\u{3000}",
        "\u{A0}\u{2003}",
    ])
    func `a text that leaves no ink is none (abuse case 20)`(_ text: String) {
        #expect(DisplayText.safe(text, in: .line) == "")
        #expect(DisplayText.safe(text, in: .paragraph) == "")
    }

    @Test func `words in tag characters are gone, and the tags of Unicode's three flags stay (abuse case 20)`() {
        #expect(DisplayText.safe("Hi" + Self.tags("obey"), in: .line) == "Hi")
        #expect(DisplayText.safe("👍" + Self.tags("obey"), in: .line) == "👍")
        #expect(DisplayText.safe("🏴" + Self.tags("obey") + Self.tagEnd, in: .line) == "🏴")
        for flag in ["gbeng", "gbsct", "gbwls"].map({ "🏴" + Self.tags($0) + Self.tagEnd }) {
            for text in [flag, "a" + flag + flag + "!"] {
                #expect(Array(DisplayText.safe(text, in: .line).unicodeScalars) == Array(text.unicodeScalars))
            }
            #expect(DisplayText.safe(flag + Self.tags("obey") + Self.tagEnd, in: .line) == flag)
            #expect(DisplayText.safe(String(flag.unicodeScalars.dropLast()), in: .line) == "🏴")
            #expect(DisplayText.safe("🏴\u{200B}" + String(flag.unicodeScalars.dropFirst()), in: .line) == "🏴")
        }
        #expect(DisplayText.safe("🏴" + Self.tags("ustx") + Self.tagEnd, in: .line) == "🏴")
    }

    private static let tagEnd = "\u{E007F}"

    private static func tags(_ word: String) -> String {
        String(String.UnicodeScalarView(word.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xE0000) }))
    }

    @Test(arguments: [
        "\u{301}", "\u{338}\u{20DD}", "\u{FE0F}", "\u{200D}", "\u{200C}", "\u{93E}", " \u{301}", "\n\u{301}",
        "\u{200B}\u{301}", "\u{301} \u{301}",
    ])
    func `marks before the first letter are gone, and those behind it stay (abuse case 20)`(_ marks: String) {
        for place in [DisplayText.Place.line, .paragraph, .argument] {
            let shown = DisplayText.safe(marks + "e\u{301}x", in: place)
            #expect(Array(shown.unicodeScalars) == Array("e\u{301}x".unicodeScalars))
        }
        #expect(DisplayText.safe(marks, in: .paragraph) == "")
        // A mark of direction is a character of its own.
        #expect(Array(DisplayText.safe("\u{200F}\u{301}a", in: .line).unicodeScalars) == ["\u{200F}", "a"])
    }

    @Test(arguments: [" ", "\u{3000}", "\u{2800}", "\u{200D}", "\t"])
    func `lines of spaces are empty lines, and spaces have an end (abuse case 20)`(_ space: String) {
        let flood = DisplayText.safe("a" + String(repeating: "\n" + space, count: 500) + "b", in: .paragraph)
        #expect(flood.filter(\.isNewline).count == 2)
        #expect(flood.count <= 12)
        #expect(
            DisplayText.safe("a" + String(repeating: space, count: 500) + "b", in: .line).unicodeScalars.count <= 18
        )
        #expect(DisplayText.safe(String(repeating: "\n" + space, count: 500) + "b", in: .paragraph).count <= 10)
    }

    @Test func `a hundred thousand letters that join into one are cut (abuse case 20)`() {
        let text = "\u{1100}" + String(repeating: "\u{1161}", count: 100_000)
        #expect(DisplayText.safe(text, in: .line).unicodeScalars.count == 16)
    }

    @Test func `any text at all ends within its bounds (abuse case 20)`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let odd: [UInt32] = [
            0x200D, 0x202E, 0x301, 0x1F3F4, 0xE0067, 0xE007F, 0x0A, 0x0D, 0x20, 0x1F1E6, 0xFE0F, 0x1F3FB, 0x94D, 0x600,
        ]
        for _ in 0..<300 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<400, using: &random) {
                let value =
                    Bool.random(using: &random)
                    ? odd.randomElement(using: &random) ?? 0 : UInt32.random(in: 0...0x10FFFF, using: &random)
                if let scalar = Unicode.Scalar(value) { text.append(scalar) }
            }
            for place in [DisplayText.Place.line, .paragraph, .argument] {
                let shown = DisplayText.safe(String(text), in: place)
                #expect(shown.unicodeScalars.count <= 16 * place.characterCountMax + 1, "seed \(seed)")
                #expect(shown.unicodeScalars.allSatisfy { !(0x202A...0x202E).contains($0.value) }, "seed \(seed)")
                #expect(place == .paragraph || !shown.contains(where: \.isNewline), "seed \(seed)")
            }
        }
    }

    @Test func `what is said to stand alone is a character that may be shown`() throws {
        for value in 0...UInt32(0xFFFF) {
            guard let scalar = Unicode.Scalar(value), TextScalars.standsAlone(scalar) else { continue }
            #expect("a\(scalar)b가\(scalar)あ\(scalar)\(scalar)".count == 8, "\(value)")
            #expect(TextScalars.allowed(String(scalar), keepsIsolates: false) == String(scalar), "\(value)")
            #expect(
                TextScalars.isVisible(scalar) == scalar.isVisible || scalar.properties.generalCategory == .unassigned
            )
            #expect(!TextScalars.stacks(scalar), "\(value)")
        }
    }

    @Test(arguments: [DisplayText.Place.line, .paragraph, .argument])
    fileprivate func `letters that stand alone are laid out as any others`(_ place: DisplayText.Place) {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let letters = Array("aä字가я .\n ")
        for _ in 0..<300 {
            let count = Int.random(in: 0..<110, using: &random)
            let text = String((0..<count).map { _ in letters.randomElement(using: &random) ?? "a" })
            // A mark of direction behind the text makes it take the slow path.
            let long = DisplayText.safe(text + "x\u{200E}", in: place)
            let short = DisplayText.safe(text + "x", in: place)
            #expect(long == short || long == short + "\u{200E}", "seed \(seed)")
        }
    }
}
