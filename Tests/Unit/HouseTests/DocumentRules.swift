/// Links and citations of documents, whose targets must exist.
enum DocumentRules {
    /// Every relative link leads to a file or a folder; `exists` takes a path from the checkout's root.
    static func checkLinks(of file: TextFile, awaited: Set<String>, exists: (String) -> Bool) -> [Finding] {
        proseLines(of: file).flatMap { number, line in
            targets(of: line).compactMap { target in
                guard let path = resolve(target, from: file.path) else {
                    let problem = "the link '\(target)' leads out of the checkout; link to what a clone has"
                    return Finding(path: file.path, line: number, problem: problem)
                }
                if exists(path) || awaited.contains(path) { return nil }
                let problem = "the link '\(target)' leads nowhere; correct it or add \(path)"
                return Finding(path: file.path, line: number, problem: problem)
            }
        }
    }

    /// Every suite that a table row names is a type in Tests, and every test that it quotes is in that suite.
    static func checkCitedTests(of file: TextFile, in tests: [TextFile], awaited: Set<String>) -> [Finding] {
        file.lines.filter { $0.text.hasPrefix("|") }.flatMap { number, line -> [Finding] in
            var findings: [Finding] = []
            var files: [TextFile] = []
            for citation in citations(in: line) {
                switch citation {
                case .suite(let name):
                    files = tests.filter { declares(name, $0) }
                    if files.isEmpty, !awaited.contains(name) {
                        let problem = "there is no suite \(name) in Tests; name the one that covers this"
                        findings.append(Finding(path: file.path, line: number, problem: problem))
                    }
                case .test(let sentence):
                    if !files.contains(where: { $0.text.contains("func `\(sentence)`") }) {
                        let problem = "the suite named before it has no test \"\(sentence)\"; quote one as it is"
                        findings.append(Finding(path: file.path, line: number, problem: problem))
                    }
                }
            }
            return findings
        }
    }

    private enum Citation {
        case suite(String)
        case test(String)
    }

    /// In their order: `NameTests` and "a sentence".
    private static func citations(in line: Substring) -> [Citation] {
        var citations: [Citation] = []
        var rest = line
        while let start = rest.firstIndex(where: { $0 == "`" || $0 == "\"" }) {
            let end = rest[start...].dropFirst().firstIndex(of: rest[start]) ?? rest.endIndex
            let text = String(rest[start..<end].dropFirst())
            if rest[start] == "\"" {
                citations.append(.test(text))
            } else if text.hasSuffix("Tests") {
                citations.append(.suite(text))
            }
            rest = rest[end...].dropFirst()
        }
        return citations
    }

    private static func declares(_ suite: String, _ file: TextFile) -> Bool {
        ["struct", "class", "enum", "actor"].contains { keyword in
            file.text.ranges(of: "\(keyword) \(suite)").contains { range in
                file.text[range.upperBound...].first.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
            }
        }
    }

    /// Lines outside code blocks, without code in a line: code holds examples, not links.
    private static func proseLines(of file: TextFile) -> [(number: Int, text: Substring)] {
        var isCode = false
        return file.lines.filter { _, line in
            let isFence = line.drop(while: \.isWhitespace).hasPrefix("```")
            if isFence { isCode.toggle() }
            return !isCode && !isFence
        }
    }

    private static func targets(of line: Substring) -> [String] {
        let prose = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "" }.joined()
        return prose.ranges(of: "](").compactMap { range in
            let target = prose[range.upperBound...].prefix { $0 != ")" && $0 != " " }
            let path = target.prefix { $0 != "#" }
            let isElsewhere = ["https://", "http://", "mailto:"].contains { target.hasPrefix($0) }
            return isElsewhere || path.isEmpty ? nil : String(path)
        }
    }

    private static func resolve(_ target: String, from file: String) -> String? {
        guard !target.hasPrefix("/") else { return nil }
        var steps = file.split(separator: "/").dropLast().map(String.init)
        for step in target.split(separator: "/") where step != "." {
            if step != ".." {
                steps.append(String(step))
            } else if steps.popLast() == nil {
                return nil
            }
        }
        return steps.joined(separator: "/")
    }
}
