/// Texts that break byte counts and boundaries: emoji families, flags, combining marks, escapes, bidi controls. Never
/// NUL, which no message may have.
enum RandomText {
    static let pieces = [
        "a", "Z", "0", " ", "\"", "\\", "/", "\n", "\r\n", "\t", "\u{1}", "\u{1F}", "\u{7F}", "ß", "é", "e\u{301}", "€",
        "日", "한", "\u{1112}\u{1161}\u{11AB}", "क्षि", "😀", "👍🏽", "👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇩🇪", "🇫🇷", "\u{301}", "\u{200D}", "\u{FE0F}",
        "\u{202E}", "\u{2028}", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}", "o\u{308}\u{304}\u{323}",
    ]

    /// Joins so many pieces; neighbours may form one character, as in life.
    static func make(count: ClosedRange<Int>, using random: inout some RandomNumberGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: count, using: &random) {
            text += pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }
        return text
    }
}
