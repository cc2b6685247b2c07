import Glibc

/// Program of several commands. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
package struct Program {
    private let name: String
    private let commands: [any Command.Type]
    private let table: ProgramTable

    /// - Parameters:
    ///   - commands: in the overview's order.
    ///   - ownCommands: not in it.
    package init(
        _ name: String,
        _ summary: String,
        text: String = "",
        commands: [any Command.Type],
        ownCommands: [any Command.Type] = []
    ) {
        self.name = name
        self.commands = commands + ownCommands
        table = ProgramTable(
            name,
            summary,
            text: text,
            commands: commands.map { $0.table },
            unlisted: ownCommands.map { $0.table },
            sections: [
                ManualSection(
                    "EXIT STATUS",
                    [("0", "Done."), ("1", "Refused or failed; the message says why."), ("2", "Wrong usage.")]
                )
            ]
        )
    }

    package func main() async -> Never {
        // Makes a closed pipe and a file size limit errors of `write`. By default they kill, and leave half a file
        // behind.
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
        guard !words.isEmpty else { throw .usage("the command is missing", hint: table.hint) }
        if let answer = try table.answer(to: words) { return try Output.print(answer) }
        // A two-word name wins over its first word alone.
        for wordCount in [2, 1] {
            let name = words.prefix(wordCount).joined(separator: " ")
            guard words.count >= wordCount, let command = commands.first(where: { $0.name == name }) else { continue }
            return try await command.init(try Arguments(Array(words.dropFirst(wordCount)), for: command, in: self.name))
                .run()
        }
        throw .usage(table.noCommand(words), hint: table.hint)
    }
}
