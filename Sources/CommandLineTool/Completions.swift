package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

/// Script that completes a program's words.
struct Completions {
    enum Proposal: Equatable {
        case files
        case folders
        case words([String])
        case nothing

        /// - Parameter name: such as "FILE" or "apple|spec".
        init(of name: String) {
            let words = name.split(separator: "|").map(String.init)
            let fixed = words.filter { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } }
            if words.count > 1, !fixed.isEmpty {
                self = .words(fixed)
            } else if ["FOLDER", "DIR"].contains(name) {
                self = .folders
            } else if ["FILE", "PATH", "PROGRAM", "COPY", "STORED", "OUT", "KEY"].contains(name) || name.contains(".") {
                self = .files
            } else {
                self = .nothing
            }
        }
    }

    let program: ProgramTable

    init(_ program: ProgramTable) { self.program = program }

    func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The nameless one has the program's options.
    var commands: [CommandTable] {
        [CommandTable("", "", options: (program.own?.options ?? []) + ProgramTable.ownOptions)] + program.named
    }

    var function: String { "_" + program.name.replacing("-", with: "_") }

    var pairs: [String] { program.named.map(\.name).filter { $0.contains(" ") } }

    /// Options that take a value, of all commands.
    var valued: [String] {
        var names: [String] = []
        for option in commands.flatMap(\.options) where option.value != nil {
            names += option.names.filter { !names.contains($0) }
        }
        return names
    }

    var firstWords: [(word: String, summary: String)] {
        var rows: [(word: String, summary: String)] = []
        for command in program.named {
            let word = String(command.name.prefix { $0 != " " })
            if !rows.contains(where: { $0.word == word }) { rows.append((word, command.summary)) }
        }
        return rows
    }

    /// Includes help, and second words of names that look like options.
    func options(of command: CommandTable) -> [Option] {
        let seconds = program.named.filter { $0.name.hasPrefix(command.name + " -") }
        return command.options + (command.name.isEmpty ? [] : [.help])
            + seconds.map { Option(flag: String($0.name.dropFirst(command.name.count + 1)), $0.summary) }
    }

    /// Words that may follow: operands, and second words of names.
    func followers(of command: CommandTable) -> [String] {
        let words = command.operandWords.filter { $0 != command.name }
        let seconds = pairs.filter { $0.hasPrefix(command.name + " ") }.map { $0.dropFirst(command.name.count + 1) }
        return (words + seconds.map(String.init)).filter { word in
            word.first?.isLowercase == true && word.allSatisfy { $0.isLowercase || $0 == "-" }
        }
    }

    /// Pattern of `case`; an empty list matches nothing.
    func pattern(_ words: [String], separator: String = " | ") -> String {
        words.isEmpty ? "''" : words.map { "'\($0)'" }.joined(separator: separator)
    }

    func takesFiles(_ command: CommandTable) -> Bool {
        command.operandWords.contains { Proposal(of: $0) == .files }
    }
}

extension Option {
    var proposal: Completions.Proposal { value.map { .init(of: $0) } ?? .nothing }
}
