import Glibc
import Platform

/// Program of several commands. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
package struct Program {
    private let name: String
    private let commands: [any Command.Type]
    private let ownCommands: [any Command.Type]

    private static let helpWords = ["--help", "-h"]

    /// - Parameters:
    ///   - commands: in the overview's order.
    ///   - ownCommands: not in the overview.
    package init(_ name: String, commands: [any Command.Type], ownCommands: [any Command.Type] = []) {
        self.name = name
        self.commands = commands
        self.ownCommands = ownCommands
    }

    /// Runs the process's command, and exits.
    package func main() async -> Never {
        // Makes a closed pipe and a file size limit errors of `write`, with a message and an exit code. By default they
        // kill, and leave half a file behind.
        for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    private func run(_ words: [String]) async -> Int32 {
        do throws(CommandError) {
            try await start(words)
            return 0
        } catch {
            Output.complain(error.text(of: name))
            return error.exitCode
        }
    }

    private func start(_ words: [String]) async throws(CommandError) {
        guard let word = words.first else { throw .usage("the command is missing", help: overview) }
        if Self.helpWords.contains(word) || word == "help" { return try Output.print(overview) }
        if word == "--version" { return try Output.print("\(name) \(ReleaseVersion.text)") }
        // A two-word name wins over its first word alone.
        for wordCount in [2, 1] {
            let name = words.prefix(wordCount).joined(separator: " ")
            guard words.count >= wordCount, let command = (commands + ownCommands).first(where: { $0.name == name })
            else { continue }
            return try await run(command, Array(words.dropFirst(wordCount)))
        }
        throw .usage("there is no command '\(TerminalText.safe(word))'", help: overview)
    }

    private func run(_ command: any Command.Type, _ words: [String]) async throws(CommandError) {
        if words.contains(where: Self.helpWords.contains) { return try Output.print(command.help(in: name)) }
        try await command.init(try Arguments(words, for: command, in: name)).run()
    }

    private var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let rows = commands.map { command in
            "  " + command.name + String(repeating: " ", count: width - command.name.count + 2) + command.summary
        }
        return """
            usage: \(name) COMMAND …

            \(rows.joined(separator: "\n"))

            '\(name) COMMAND --help' shows a command's options and an example, '\(name) --version' the version.
            """
    }
}
