/// A Swift file's text, split into code and comments: both have the lines of the whole, with spaces where the other
/// was. Strings' contents are in neither, code interpolated into them is code.
struct SwiftText {
    private(set) var code: [UInt8] = []
    private(set) var comments: [UInt8] = []
    /// Each string without its interpolations, and the line where it begins; in the order of their ends.
    private(set) var literals: [(number: Int, text: String)] = []

    private let text: [UInt8]
    private var position = 0
    private var lineNumber = 1

    init(_ text: String) {
        self.text = Array(text.utf8)
        code.reserveCapacity(self.text.count)
        comments.reserveCapacity(self.text.count)
        scanCode(untilParenthesis: false)
    }

    var codeLines: [(number: Int, text: Substring)] { TextFile.numbered(String(decoding: code, as: UTF8.self)) }
    var commentLines: [(number: Int, text: Substring)] { TextFile.numbered(String(decoding: comments, as: UTF8.self)) }

    private enum Kind { case code, comment, string }

    /// - Parameter untilParenthesis: true in an interpolation, which its own `)` ends.
    private mutating func scanCode(untilParenthesis: Bool) {
        var depth = 0
        while position < text.count {
            takeRun(.code, until: Self.codeEnds)
            guard position < text.count else { return }
            if starts(with: "//") {
                takeRun(.comment, until: Self.lineEnds)
            } else if starts(with: "/*") {
                scanBlockComment()
            } else if let hashCount = stringStart() {
                scanString(hashCount: hashCount)
            } else {
                if starts(with: "(") { depth += 1 }
                if starts(with: ")") {
                    depth -= 1
                    if untilParenthesis, depth < 0 { return }
                }
                take(.code)
            }
        }
    }

    /// Swift's block comments nest.
    private mutating func scanBlockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                take(.comment, 2)
            } else if starts(with: "*/") {
                depth -= 1
                take(.comment, 2)
            } else {
                take(.comment)
            }
        } while depth > 0 && position < text.count
    }

    /// The number of `#` before a quotation mark here; nil if no string begins.
    private func stringStart() -> Int? {
        var end = position
        while end < text.count, text[end] == UInt8(ascii: "#") { end += 1 }
        return end < text.count && text[end] == UInt8(ascii: "\"") ? end - position : nil
    }

    private mutating func scanString(hashCount: Int) {
        take(.string, hashCount)
        let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
        let hashes = String(repeating: "#", count: hashCount)
        let number = lineNumber
        take(.string, quotes.utf8.count)
        var bytes: [UInt8] = []
        defer { literals.append((number, String(decoding: bytes, as: UTF8.self))) }
        while position < text.count {
            if starts(with: "\\" + hashes + "(") {
                take(.string, hashCount + 2)
                scanCode(untilParenthesis: true)
                take(.string)
            } else if starts(with: "\\" + hashes) {
                take(.string, hashCount + 2)
            } else if starts(with: quotes + hashes) {
                return take(.string, quotes.utf8.count + hashCount)
            } else {
                bytes.append(text[position])
                take(.string)
                let start = position
                takeRun(.string, until: Self.stringEnds)
                bytes += text[start..<position]
            }
        }
    }

    private func starts(with prefix: String) -> Bool { text[position...].starts(with: prefix.utf8) }

    private mutating func take(_ kind: Kind, _ count: Int = 1) {
        for byte in text[position..<min(position + count, text.count)] {
            let space = byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " ")
            if byte == UInt8(ascii: "\n") { lineNumber += 1 }
            code.append(kind == .code ? byte : space)
            comments.append(kind == .comment ? byte : space)
        }
        position = min(position + count, text.count)
    }

    private static let codeEnds = table("/#\"()\n")
    private static let stringEnds = table("\\\"\n")
    private static let lineEnds = table("\n")

    private static func table(_ characters: String) -> [Bool] {
        (0...UInt8.max).map { characters.utf8.contains($0) }
    }

    /// Takes a line's bytes up to one of `ends`: with a call for each byte, all files take minutes without optimisation.
    private mutating func takeRun(_ kind: Kind, until ends: [Bool]) {
        var end = position
        while end < text.count, !ends[Int(text[end])] { end += 1 }
        let spaces = [UInt8](repeating: UInt8(ascii: " "), count: end - position)
        if kind == .code { code += text[position..<end] } else { code += spaces }
        if kind == .comment { comments += text[position..<end] } else { comments += spaces }
        position = end
    }
}
