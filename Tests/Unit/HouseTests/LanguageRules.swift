/// The language of comments and names: docs/glossary.md has the words, CONTRIBUTING.md the rules.
enum LanguageRules {
    /// First words that make a doc comment a question, or a definition by a relative clause.
    static let questions: Set<Substring> = [
        "Who", "Whom", "Whose", "Whoever", "What", "Whatever", "Which", "Whichever", "Whether", "How", "Where", "When",
        "Why", "Somebody", "Nobody", "Anybody", "Everybody", "Someone", "Anyone",
    ]

    /// A doc comment, and each paragraph of it, begins with a noun (what it is) or a verb (what it does).
    static func checkFirstWords(_ file: TextFile) -> [Finding] {
        var isWithin = false
        return comments(of: file).compactMap { number, line in
            let text = line.drop { $0 == "/" || $0 == " " }
            defer { isWithin = line.hasPrefix("///") && !text.isEmpty }
            let first = text.prefix(while: \.isLetter)
            guard !isWithin, line.hasPrefix("///"), questions.contains(first) else { return nil }
            let problem = "a doc comment begins with '\(first)'; begin with a noun or a verb"
            return Finding(path: file.path, line: number, problem: problem)
        }
    }

    private static let things: Set<String> = [
        "connection", "request", "stream", "type", "file", "push", "call", "client", "process", "server", "thread",
        "task",
        "peer", "entry", "frame", "message", "notification", "value", "socket", "relay", "program", "actor", "queue",
    ]

    /// A thing is *it*: neither `who` nor a body.
    static func checkPersons(_ file: TextFile) -> [Finding] {
        var before = ""
        return comments(of: file).flatMap { number, line -> [Finding] in
            line.split { !$0.isLetter && $0 != "'" }.compactMap { word in
                defer { before = singular(word.lowercased()) }
                guard ["who", "whom"].contains(word.lowercased()), things.contains(before) else { return nil }
                let problem = "'\(before) \(word)': a thing is 'it'; say 'that', or begin a sentence"
                return Finding(path: file.path, line: number, problem: problem)
            }
        }
    }

    private static let persons: Set<String> = ["somebody", "nobody", "anybody", "whoever"]

    /// A text for people, which has three words or more: no unnamed person in it, and no question or relative clause to
    /// begin it.
    static func checkTexts(_ file: TextFile) -> [Finding] {
        SwiftText(file.text).literals.compactMap { number, text in
            let words = text.split { !$0.isLetter && $0 != "'" }.map { $0.lowercased() }
            guard words.count >= 3 else { return nil }
            // The lines of a text in three quotation marks are indented.
            let start = text.first == "\n" ? text.drop(while: \.isWhitespace) : text[...]
            let problem: String
            if let word = words.first(where: persons.contains) {
                problem = "a text says '\(word)'; name the one that is meant, or leave it out"
            } else if let word = beginnings.first(where: { start.hasPrefix($0) }) {
                problem = "a text begins with '\(word)…'; begin with a noun or a verb"
            } else {
                return nil
            }
            return Finding(path: file.path, line: number, problem: problem)
        }
    }

    /// Not in capitals, as the demo's headings are, nor behind a space, as the rest of a sentence is.
    private static let beginnings = ["Who ", "who ", "What ", "what ", "Whether ", "whether "]

    /// Words that named several ideas, or an idea of another field; the field's word is in docs/glossary.md.
    private static let retiredNouns = [
        "Bell": "event or alarm", "Door": "interface", "Shelf": "cache", "Book": "table", "Judge": "verifier or filter",
        "Gate": "authenticator or limiter", "Courier": "sender", "Errand": "job", "Intake": "pipeline or buffer",
        "Refused": "error", "Rejected": "error or rejection", "Obstacle": "problem", "Unavailable": "error",
        "Malformed": "error",
    ]
    private static let retiredVerbs = ["ring": "wake", "tell": "notify or report", "told": "reported"]
    private static let keywords: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "func", "var", "let",
    ]

    /// Types with a retired noun anywhere in their names, and functions that begin with a retired verb.
    static func checkNames(_ file: TextFile) -> [Finding] {
        SwiftText(file.text).codeLines.flatMap { number, line in
            declarations(in: line).compactMap { keyword, name in
                let words = words(of: name)
                let isFunction = keyword == "func"
                guard isFunction || types.contains(keyword),
                    let word = isFunction ? words.first : words.first(where: { retiredNouns[$0] != nil }),
                    let instead = isFunction ? retiredVerbs[word] : retiredNouns[word]
                else { return nil }
                let problem = "'\(word)' in '\(name)' is retired; say \(instead) (docs/glossary.md)"
                return Finding(path: file.path, line: number, problem: problem)
            }
        }
    }

    /// A type that is thrown is an error, or APNs' or the relay's rejection; a fault is injected on purpose.
    static func checkErrors(_ file: TextFile) -> [Finding] {
        SwiftText(file.text).codeLines.flatMap { number, line -> [Finding] in
            guard [": Error", ", Error"].contains(where: { line.contains($0) }) else { return [] }
            return declarations(in: line).compactMap { keyword, name in
                guard types.contains(keyword), let word = words(of: name).last,
                    ["Fault", "Faults", "Refusal"].contains(word)
                else { return nil }
                return Finding(path: file.path, line: number, problem: "'\(name)' is thrown; name it …Error")
            }
        }
    }

    private static func declarations(in line: Substring) -> [(keyword: Substring, name: Substring)] {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return zip(words, words.dropFirst()).filter { keywords.contains($0.0) && !keywords.contains($0.1) }
            .map { (keyword: $0.0, name: $0.1) }
    }

    /// `quotaBookOf` is quota, Book and Of: a word begins at a capital.
    private static func words(of name: Substring) -> [String] {
        var words: [String] = []
        for character in name {
            if character.isUppercase || words.isEmpty { words.append("") }
            words[words.count - 1].append(character)
        }
        return words
    }

    /// At most 60 rows; each type in a row's last cell is declared.
    static func checkGlossary(_ glossary: TextFile, against files: [TextFile]) -> [Finding] {
        let declared = Set(
            files.flatMap { SwiftText($0.text).codeLines }
                .flatMap { declarations(in: $0.text) }.filter { types.contains($0.keyword) }.map { String($0.name) }
        )
        let rows = glossary.lines.filter { $0.text.hasPrefix("| **") }
        var findings = rows.flatMap { number, line -> [Finding] in
            let cell = line.split(separator: "|").last ?? ""
            let names = cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
            return names.filter { !declared.contains($0) }.map {
                Finding(
                    path: glossary.path,
                    line: number,
                    problem: "there is no type '\($0)'; name the one that there is"
                )
            }
        }
        if rows.count > 60 {
            let problem = "\(rows.count) entries, and 60 are the most; take out what the field's readers know"
            findings.append(Finding(path: glossary.path, line: rows[60].number, problem: problem))
        }
        return findings
    }

    private static let types: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    private static func comments(of file: TextFile) -> [(number: Int, text: Substring)] {
        SwiftText(file.text).commentLines.map { ($0.number, $0.text.drop(while: \.isWhitespace)) }
    }

    private static func singular(_ word: String) -> String { word.hasSuffix("s") ? String(word.dropLast()) : word }
}
