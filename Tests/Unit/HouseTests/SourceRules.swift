enum SourceRules {
    static let lineCountMax = 400

    private static let forbidden = [
        (pattern: "try!", instead: "throw, or handle the error"),
        (pattern: "as!", instead: "use `as?` and say what happens otherwise"),
        (pattern: "fatalError(", instead: "throw what the world does wrong, `precondition` what we do"),
        // It reads past the end of a buffer; TestSupport/Spawn.swift says where.
        (pattern: "Process()", instead: "start programs with `Spawn` or `LineProcess`"),
    ]
    private static let printing = ["print(", "debugPrint(", "dump(", "NSLog("]
    private static let unfinished = ["TODO", "FIXME"]
    private static let unchecked = ["@unchecked Sendable", "nonisolated(unsafe)"]

    static func check(_ file: TextFile) -> [Finding] {
        let text = SwiftText(file.text)
        return forbiddenCode(text, file.path) + unfinishedWork(text, file.path) + unexplained(text, file)
            + length(file)
    }

    private static func forbiddenCode(_ text: SwiftText, _ path: String) -> [Finding] {
        text.codeLines.flatMap { number, line -> [Finding] in
            var findings = forbidden.filter { contains(line, $0.pattern) }.map {
                Finding(path: path, line: number, problem: "'\($0.pattern)' can trap; \($0.instead)")
            }
            // `|` and `^` bind alike, from the left: without parentheses a later byte undoes a difference.
            if line.contains("$1.0 ^ $1.1") {
                let problem = "secrets are compared by hand; call `SecretBytes.areEqual`"
                findings.append(Finding(path: path, line: number, problem: problem))
            }
            // A command line's own `print` goes through its `Output`.
            if ["Sources/", "Benchmarks/"].contains(where: path.hasPrefix),
                !["Sources/sealedpush/", "Benchmarks/sealedpush-bench/"].contains(where: path.hasPrefix)
            {
                findings += printing.filter { contains(line, $0) && !isMember(line, $0) }.map {
                    Finding(path: path, line: number, problem: "'\($0)' writes to a log; return the text instead")
                }
            }
            return findings
        }
    }

    private static func unfinishedWork(_ text: SwiftText, _ path: String) -> [Finding] {
        text.commentLines.flatMap { number, line in
            unfinished.filter { contains(line, $0) }.map {
                Finding(
                    path: path,
                    line: number,
                    problem: "'\($0)' is work left over; do it, or write it up as an issue"
                )
            }
        }
    }

    /// The sentence that justifies it stands above, attributes of the declaration apart.
    private static func unexplained(_ text: SwiftText, _ file: TextFile) -> [Finding] {
        let lines = file.lines.map { $0.text.drop(while: \.isWhitespace) }
        return text.codeLines.flatMap { number, line -> [Finding] in
            unchecked.filter { line.contains($0) }.compactMap { pattern in
                let above = lines[..<(number - 1)].last { !$0.hasPrefix("@") }
                if above?.hasPrefix("//") == true { return nil }
                let problem = "'\(pattern)' turns a check off; say in a comment directly above why that is right"
                return Finding(path: file.path, line: number, problem: problem)
            }
        }
    }

    private static func length(_ file: TextFile) -> [Finding] {
        // The end of the last line begins no other.
        let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
        guard count > lineCountMax else { return [] }
        let problem = "\(count) lines, and \(lineCountMax) are the most; move the second idea to a file of its own"
        return [Finding(path: file.path, line: lineCountMax + 1, problem: problem)]
    }

    /// As a word of its own: `has!` is no `as!`.
    private static func contains(_ line: Substring, _ pattern: String) -> Bool {
        line.ranges(of: pattern).contains { range in
            let before = line[..<range.lowerBound].last
            let after = line[range.upperBound...].first
            let endsWord = pattern.last.map(isWord) != true || after.map(isWord) != true
            return before.map(isWord) != true && endsWord
        }
    }

    private static func isMember(_ line: Substring, _ pattern: String) -> Bool {
        line.ranges(of: pattern).allSatisfy { range in
            line[..<range.lowerBound].hasSuffix(".") || line[..<range.lowerBound].hasSuffix("func ")
        }
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
