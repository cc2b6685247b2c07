enum SnippetRules {
    /// Every block of the language, as the fence calls it, stands in one of the files, byte for byte, and so does every
    /// assignment to a member of `device` between backquotes. The indentation of a whole block does not matter.
    static func check(_ document: TextFile, in files: [TextFile], language: String = "swift") -> [Finding] {
        let sources = files.map { $0.lines.map(\.text) }
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
        let lines: [Substring]
    }

    /// Number of a document's blocks in the language.
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
                    snippets.append(Snippet(number: open.number, lines: withoutIndentation(open.lines[...])))
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

    private static func assignments(in line: Substring) -> [Substring] {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
            .filter { $0.hasPrefix("device.") && $0.contains(" = ") }
    }

    /// Removes the spaces that all lines begin with; an empty line has any number of them.
    private static func withoutIndentation(_ lines: ArraySlice<Substring>) -> [Substring] {
        let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { $0.dropFirst(indentation) }
    }

    private static func contains(_ source: [Substring], _ lines: [Substring]) -> Bool {
        guard let first = lines.first, source.count >= lines.count else { return lines.isEmpty }
        return (0...(source.count - lines.count)).contains { start in
            source[start].hasSuffix(first)
                && withoutIndentation(source[start..<(start + lines.count)]) == lines
        }
    }
}
