package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

/// Completions of a program: a script for a shell.
struct Completions {
    /// Proposals for a value or an operand.
    enum Proposal: Equatable {
        case files
        case folders
        case words([String])
        case nothing

        /// - Parameter name: a value's or an operand's, such as "FILE" or "apple|spec".
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

    /// Commands; the nameless one is complete without a command's name.
    var commands: [CommandTable] {
        [CommandTable("", "", options: (program.own?.options ?? []) + ProgramTable.ownOptions)] + program.named
    }

    /// Name in a script's functions.
    var function: String { "_" + program.name.replacing("-", with: "_") }

    /// Names of two words.
    var pairs: [String] { program.named.map(\.name).filter { $0.contains(" ") } }

    /// Names of the options that take a value, of all commands.
    var valued: [String] {
        var names: [String] = []
        for option in commands.flatMap(\.options) where option.value != nil {
            names += option.names.filter { !names.contains($0) }
        }
        return names
    }

    /// First words of commands, each once.
    var firstWords: [(word: String, summary: String)] {
        var rows: [(word: String, summary: String)] = []
        for command in program.named {
            let word = String(command.name.prefix { $0 != " " })
            if !rows.contains(where: { $0.word == word }) { rows.append((word, command.summary)) }
        }
        return rows
    }

    /// Options that every command has too, and second words of names that look like options.
    func options(of command: CommandTable) -> [Option] {
        let seconds = program.named.filter { $0.name.hasPrefix(command.name + " -") }
        return command.options + (command.name.isEmpty ? [] : [.help])
            + seconds.map { Option(flag: String($0.name.dropFirst(command.name.count + 1)), $0.summary) }
    }

    /// Words that may follow a command's name: its operands', and the second ones of names that begin with it.
    func followers(of command: CommandTable) -> [String] {
        let words = command.operandWords.filter { $0 != command.name }
        let seconds = pairs.filter { $0.hasPrefix(command.name + " ") }.map { $0.dropFirst(command.name.count + 1) }
        return (words + seconds.map(String.init)).filter { word in
            word.first?.isLowercase == true && word.allSatisfy { $0.isLowercase || $0 == "-" }
        }
    }

    /// Pattern of `case`; no word matches an empty list.
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
