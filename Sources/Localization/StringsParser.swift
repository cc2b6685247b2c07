/// `"key" = "value";` and `key;`, with comments, quotes of both kinds, and bare words: the tolerant grammar of Apple's
/// reader.
///
/// - Source: swift-corelibs-foundation, CoreFoundation/Parsing.subproj/CFOldStylePList.c, to which the tests compare.
struct StringsParser {
    private let scalars: String.UnicodeScalarView
    private var position: String.UnicodeScalarView.Index

    init(_ text: String) {
        scalars = text.unicodeScalars
        position = scalars.startIndex
    }

    /// Of a repeated key, the last value counts.
    mutating func texts(where keep: (String) -> Bool) throws(StringsError) -> [String: String] {
        guard skipSpace() else { return [:] }
        let hasBraces = take("{")
        guard hasBraces || isAtString else { throw .notAString(line: line) }
        var texts: [String: String] = [:]
        var isFirst = true
        while skipSpace(), isAtString {
            let key: String
            do throws(StringsError) {
                key = try string()
            } catch {
                // As in Apple's reader, a table cut later keeps its entries.
                guard isFirst else { break }
                throw error
            }
            isFirst = false
            let value = try value(of: key)
            guard skipSpace(), take(";") else { throw .noSemicolon(line: line) }
            if keep(key) { texts[key] = value }
        }
        if hasBraces {
            guard skipSpace(), take("}"), !skipSpace() else { throw .junk(line: line) }
        }
        return texts
    }

    /// A key alone is its own value.
    private mutating func value(of key: String) throws(StringsError) -> String {
        guard skipSpace() else { throw .noValue(line: line) }
        if peek == ";" { return key }
        guard take("=") else { throw .noValue(line: line) }
        guard skipSpace(), isAtString else { throw .notAString(line: line) }
        return try string()
    }

    private mutating func string() throws(StringsError) -> String {
        if take("\"") { return try quoted(until: "\"") }
        if take("'") { return try quoted(until: "'") }
        let start = position
        while let scalar = peek, Self.isWord(scalar) { advance() }
        return String(scalars[start..<position])
    }

    /// Collects UTF-16, so that two escapes can form a surrogate pair.
    private mutating func quoted(until quote: Unicode.Scalar) throws(StringsError) -> String {
        let start = line(at: position)
        var units: [UInt16] = []
        while let scalar = peek {
            advance()
            if scalar == quote { return String(decoding: units, as: UTF16.self) }
            if scalar == "\\" {
                guard let unit = escape() else { break }
                units += unit
            } else {
                units += UTF16.encode(scalar).map(Array.init) ?? []
            }
        }
        throw .unterminated(line: start)
    }

    /// False at the end of the text.
    private mutating func skipSpace() -> Bool {
        while let scalar = peek {
            if Self.isSpace(scalar) {
                advance()
            } else if !skipComment() {
                return true
            }
        }
        return false
    }

    /// Unterminated comments last to the end.
    private mutating func skipComment() -> Bool {
        guard peek == "/" else { return false }
        let start = position
        advance()
        if take("/") {
            while let scalar = peek, !Self.isLineBreak(scalar) { advance() }
            return true
        }
        guard take("*") else {
            position = start
            return false
        }
        while let scalar = peek {
            advance()
            if scalar == "*", take("/") { break }
        }
        return true
    }

    private var isAtString: Bool { peek.map { $0 == "\"" || $0 == "'" || Self.isWord($0) } ?? false }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "$", "/", ":", ".", "-": true
        default: false
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        (0x09...0x0D).contains(scalar.value) || scalar == " " || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    var peek: Unicode.Scalar? { position < scalars.endIndex ? scalars[position] : nil }

    mutating func advance() { scalars.formIndex(after: &position) }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        advance()
        return true
    }

    private var line: Int { line(at: position) }

    /// From 1, where CR LF is one break.
    private func line(at end: String.UnicodeScalarView.Index) -> Int {
        var line = 1
        var previous: Unicode.Scalar?
        for scalar in scalars[..<end] {
            if scalar == "\r" || (scalar == "\n" && previous != "\r") { line += 1 }
            previous = scalar
        }
        return line
    }
}
