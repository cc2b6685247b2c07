import Platform
private import ServiceParts

/// Words of a program, for all texts about its command line.
package struct ProgramTable: Sendable {
    let name: String
    let summary: String
    /// 1: users' programs; 8: services.
    let manualSection: Int
    /// The manual's.
    let text: String
    /// In the overview's order; a nameless one is the program's own work.
    package let commands: [CommandTable]
    /// For our own programs: in no overview, manual or completion.
    private let unlisted: [CommandTable]
    /// Behind the commands.
    let sections: [ManualSection]

    private static let helpWords = ["--help", "-h"]
    static let ownOptions = [
        Option.help, Option(flag: "--version", "prints the version"),
        Option("--completions", "bash|zsh|fish", "prints completions for a shell"),
        Option(flag: "--manual", "prints the manual page: --manual | man -l -"),
    ]

    package init(
        _ name: String,
        _ summary: String,
        manualSection: Int = 1,
        text: String = "",
        commands: [CommandTable],
        unlisted: [CommandTable] = [],
        sections: [ManualSection] = []
    ) {
        self.name = name
        self.summary = summary
        self.manualSection = manualSection
        self.text = text
        self.commands = commands
        self.unlisted = unlisted
        self.sections = sections
    }

    /// Work without a command.
    var own: CommandTable? { commands.first { $0.name.isEmpty } }

    var named: [CommandTable] { commands.filter { !$0.name.isEmpty } }

    /// Text in place of work.
    ///
    /// - Returns: nil if the words ask for none.
    package func answer(to words: [String]) throws(CommandError) -> String? {
        guard let first = words.first else { return nil }
        let rest = Array(words.dropFirst())
        switch first {
        case "--version": return "\(name) \(ReleaseVersion.text)"
        case "--manual": return ManualPage(self).text
        case _ where first == "--completions" || first.hasPrefix("--completions="):
            let word = first.split(separator: "=").dropFirst().first.map(String.init) ?? rest.first
            guard let shell = word.flatMap({ Shell(rawValue: $0) }) else {
                throw .usage("--completions takes bash, zsh or fish", hint: hint)
            }
            return Completions(self).text(for: shell)
        case "help":
            if let command = command(of: rest) { return command.help(in: name) }
            guard rest.isEmpty else { throw .usage(noCommand(rest), hint: hint) }
            return overview
        default: break
        }
        guard words.contains(where: Self.helpWords.contains) else { return nil }
        if let command = command(of: words) { return command.help(in: name) }
        guard first.hasPrefix("-") else { throw .usage(noCommand(words), hint: hint) }
        return overview
    }

    /// A two-word name wins over its first word alone.
    private func command(of words: [String]) -> CommandTable? {
        [2, 1].lazy.compactMap { count in
            (named + unlisted).first { words.count >= count && $0.name == words.prefix(count).joined(separator: " ") }
        }
        .first
    }

    /// - Parameter words: the wrong one first.
    package func noCommand(_ words: [String]) -> String {
        let names = named.map(\.name)
        let word = words.first ?? ""
        let nearest =
            names.first { $0.hasPrefix(word + " ") } ?? NearestName.nearest(to: word, among: names)
            ?? NearestName.nearest(to: words.prefix(2).joined(separator: " "), among: names)
        return "there is no command '\(Self.shown(word))'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    }

    package func noOption(_ word: String) -> String {
        let all = CommandTable("", "", options: commands.flatMap(\.options) + Self.ownOptions)
        let nearest = all.nearestOption(to: word).map { "; did you mean '\($0)'?" } ?? ""
        return "there is no option '\(Self.shown(word))'\(nearest)"
    }

    /// Keeps foreign bytes, and keys given by mistake, off the terminal.
    private static func shown(_ word: String) -> String {
        let isPlain = word.utf8.count <= 40 && word.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain ? word : "…"
    }

    package var hint: String {
        usage + "\n" + Columns.wrapped("'\(name) --help' has \(named.isEmpty ? "all options" : "the commands").")
    }

    private var usage: String {
        guard let own else { return "usage: \(name) COMMAND …" }
        let line = own.usage(in: name, tail: own.options.filter(\.isRequired).map { " " + $0.spelling }.joined() + " …")
        return named.isEmpty ? line : line + "\n       \(name) COMMAND …"
    }

    package var overview: String {
        let own = own.map {
            [Columns.wrapped($0.summary), Columns.table($0.options.map { ($0.spelling, $0.sentence) })]
        }
        let commands = Columns.table(named.map { ($0.name, $0.summary) })
        let tail = self.own.map { Columns.filled($0.text) } ?? ""
        let more = Columns.table(Self.ownOptions.map { ($0.spelling, $0.help) })
        let way = named.isEmpty ? "" : "'\(name) COMMAND --help' shows a command's options and an example."
        return ([usage] + (own ?? []) + [commands, more, way, tail]).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }
}

package struct ManualSection: Sendable {
    let title: String
    /// Terms with paragraphs; nameless ones are paragraphs.
    let rows: [(term: String, text: String)]

    package init(_ title: String, _ rows: [(term: String, text: String)]) {
        self.title = title
        self.rows = rows
    }
}
