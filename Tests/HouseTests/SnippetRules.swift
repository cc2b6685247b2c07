/// What a document shows as code is code that is compiled somewhere.
enum SnippetRules {
    /// Every block of the language, as the fence calls it, stands in one of the files, line after line, and so does every
    /// assignment to a member of `device` between backquotes. White space at a line's ends and empty lines do not matter.
    static func check(_ document: TextFile, in files: [TextFile], language: String = "swift") -> [Finding] {
        let sources = files.map { codeLines($0.lines.map(\.text)) }
        return snippets(of: document, language).filter { snippet in
            !sources.contains { contains($0, snippet.lines) }
        }
        .map { snippet in
            let problem = "no example has '\(snippet.lines.first ?? "")' and what follows; show code that is compiled"
            return Finding(path: document.path, line: snippet.number, problem: problem)
        }
    }

    private struct Snippet {
        let number: Int
        let lines: [String]
    }

    /// How many blocks of the language a document has.
    static func blockCount(in document: TextFile, language: String) -> Int {
        document.lines.count { $0.text == "```" + language }
    }

    private static func snippets(of document: TextFile, _ language: String) -> [Snippet] {
        var snippets: [Snippet] = []
        var block: (number: Int, lines: [Substring])?
        var isOtherBlock = false
        for (number, line) in document.lines {
            if let open = block {
                if line.hasPrefix("```") {
                    snippets.append(Snippet(number: open.number, lines: codeLines(open.lines)))
                    block = nil
                } else {
                    block?.lines.append(line)
                }
            } else if line == "```" + language {
                block = (number, [])
            } else if line.hasPrefix("```") {
                isOtherBlock.toggle()
            } else if !isOtherBlock {
                snippets += assignments(in: line).map { Snippet(number: number, lines: [$0]) }
            }
        }
        return snippets
    }

    private static func assignments(in line: Substring) -> [String] {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
            .filter { $0.hasPrefix("device.") && $0.contains(" = ") }
    }

    private static func codeLines(_ lines: [Substring]) -> [String] {
        lines.map { line in
            String(String(line.drop(while: \.isWhitespace)).reversed().drop(while: \.isWhitespace).reversed())
        }
        .filter { !$0.isEmpty }
    }

    private static func contains(_ source: [String], _ lines: [String]) -> Bool {
        source.indices.contains { source[$0...].starts(with: lines) }
    }
}
