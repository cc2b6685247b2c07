/// Breaks a text into a box's lines, cut with an ellipsis.
enum TextLines {
    /// Scalars read: no box holds more, and a combining character has no width.
    private static let scalarCountMax = 2_000

    /// - Parameters:
    ///   - width: In ems.
    ///   - lineCountMax: 1 or more.
    static func broken(_ text: String, width: Double, lineCountMax: Int) -> [String] {
        guard !text.isEmpty else { return [] }
        let readable = String(text.unicodeScalars.prefix(scalarCountMax))
        let isCut = text.unicodeScalars.dropFirst(scalarCountMax).first != nil
        var lines: [[Character]] = []
        for paragraph in readable.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var rest = paragraph.map { $0 == "\t" ? " " : $0 }[...]
            repeat {
                guard lines.count < lineCountMax else { return cut(lines, width: width) }
                let line = rest.prefix(characterCount(ofLineIn: rest, width: width))
                lines.append(Array(line))
                rest = rest.dropFirst(line.count).drop { $0 == " " }
            } while !rest.isEmpty
        }
        return isCut ? cut(lines, width: width) : lines.map { trimmed($0) }
    }

    /// Characters that fit into one line; at least 1, or the loop would never end.
    private static func characterCount(ofLineIn text: ArraySlice<Character>, width: Double) -> Int {
        var used = 0.0
        var breakCount = 0
        for (count, character) in text.enumerated() {
            let isWide = character.unicodeScalars.first.map(TextWidth.isWide) ?? false
            if isWide || character == " " { breakCount = count }
            used += TextWidth.ems(of: character)
            // A space may hang over the end of a line.
            if used > width, character != " " { return max(1, breakCount > 0 ? breakCount : count) }
            if isWide { breakCount = count + 1 }
        }
        return text.count
    }

    private static func cut(_ lines: [[Character]], width: Double) -> [String] {
        var shown = lines.map { trimmed($0) }
        guard var last = shown.popLast() else { return [] }
        while !last.isEmpty, TextWidth.ems(of: last) + TextWidth.ems(of: "…") > width { last.removeLast() }
        return shown + [trimmed(Array(last)) + "…"]
    }

    private static func trimmed(_ line: [Character]) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
