/// Package.swift as words, strings and punctuation, and the calls in it.
struct ManifestTokens {
    struct Token: Equatable {
        enum Kind { case word, string, punctuation }

        let kind: Kind
        let text: String
        let line: Int

        func isPunctuation(_ text: String) -> Bool { kind == .punctuation && self.text == text }
    }

    struct Call {
        let name: String
        let line: Int
    }

    /// A call's arguments: strings, lists of strings, and single words.
    struct Arguments {
        var unlabelled: [String] = []
        var labelled: [String: [String]] = [:]
        var words: [String: String] = [:]
    }

    private let path: String
    private let tokens: [Token]
    private var position = 0

    init(_ file: TextFile) throws(Finding) {
        path = file.path
        tokens = try Self.tokens(of: file)
    }

    /// Skips to `let package`: the house's own helpers stand before it.
    mutating func skipDeclarations() throws(Finding) {
        while position + 1 < tokens.count {
            if tokens[position].text == "let", tokens[position + 1].text == "package" { return }
            position += 1
        }
        throw Finding(path: path, line: 1, problem: "no `let package`; is this the manifest?")
    }

    /// The next `name(`, the parenthesis read too; nil at the end.
    mutating func nextCall() throws(Finding) -> Call? {
        while position + 1 < tokens.count {
            let token = tokens[position]
            position += 1
            guard token.kind == .word, tokens[position].isPunctuation("(") else { continue }
            position += 1
            return Call(name: token.text, line: token.line)
        }
        return nil
    }

    /// Everything up to the call's own `)`.
    mutating func arguments() throws(Finding) -> Arguments {
        var arguments = Arguments()
        while let token = take() {
            if token.isPunctuation(")") { return arguments }
            if token.isPunctuation(",") { continue }
            switch token.kind {
            case .string: arguments.unlabelled.append(token.text)
            case .word where next(is: ":"):
                _ = take()
                try readValue(of: token, into: &arguments)
            default: throw unexpected(token)
            }
        }
        throw Finding(path: path, line: tokens.last?.line ?? 1, problem: "the manifest ends within a call")
    }

    private mutating func readValue(of label: Token, into arguments: inout Arguments) throws(Finding) {
        guard let token = take() else { throw unexpected(label) }
        switch token.kind {
        case .string: arguments.labelled[label.text] = [token.text]
        case .word where next(is: ",") || next(is: ")"): arguments.words[label.text] = token.text
        case .punctuation where token.text == "[": arguments.labelled[label.text] = try readList()
        default: throw unexpected(token)
        }
    }

    private mutating func readList() throws(Finding) -> [String] {
        var strings: [String] = []
        while let token = take() {
            if token.isPunctuation("]") { return strings }
            if token.isPunctuation(",") { continue }
            guard token.kind == .string else { throw unexpected(token) }
            strings.append(token.text)
        }
        throw Finding(path: path, line: tokens.last?.line ?? 1, problem: "the manifest ends within a list")
    }

    private mutating func take() -> Token? {
        guard position < tokens.count else { return nil }
        defer { position += 1 }
        return tokens[position]
    }

    private func next(is text: String) -> Bool { position < tokens.count && tokens[position].isPunctuation(text) }

    private func unexpected(_ token: Token) -> Finding {
        Finding(
            path: path,
            line: token.line,
            problem: "'\(token.text)' hides what a target depends on; write plain names in strings"
        )
    }

    /// Tokens without comments and `#if` lines: the rules hold on every platform.
    private static func tokens(of file: TextFile) throws(Finding) -> [Token] {
        var tokens: [Token] = []
        for (number, line) in file.lines {
            var rest = line.drop(while: \.isWhitespace)
            while let first = rest.first, first != "#", !rest.hasPrefix("//") {
                if first == "\"" {
                    let string = rest.dropFirst().prefix { $0 != "\"" && $0 != "\\" }
                    guard string.endIndex < rest.endIndex, rest[string.endIndex] == "\"" else {
                        throw Finding(path: file.path, line: number, problem: "write strings of the manifest plainly")
                    }
                    tokens.append(Token(kind: .string, text: String(string), line: number))
                    rest = rest[string.endIndex...].dropFirst()
                } else {
                    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
                    let text = word.isEmpty ? rest.prefix(1) : word
                    tokens.append(Token(kind: word.isEmpty ? .punctuation : .word, text: String(text), line: number))
                    rest = rest[text.endIndex...]
                }
                rest = rest.drop(while: \.isWhitespace)
            }
        }
        return tokens
    }
}
