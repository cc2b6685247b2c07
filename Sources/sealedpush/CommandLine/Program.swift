import Glibc

/// Finds the command, runs it, and turns its end into an exit code: 0 done, 1 refused or failed, 2 wrong usage.
enum Program {
    static var commands: [any Command.Type] {
        [
            KeygenCommand.self, SealCommand.self, OpenCommand.self, AttachmentCommand.self,
            AttachmentUploadCommand.self,
            InspectCommand.self, SafetyNumberCommand.self, SendCommand.self, BlobsCommand.self, SimulateCommand.self,
            SimulateReplayCommand.self, TokenCommand.self, DeliveryLogCommand.self,
            DeviceCommand.self,
            ReplayCommand.self, DemoCommand.self,
            BenchCommand.self,
        ]
    }

    /// Left out of the overview: this program starts them itself.
    private static var ownCommands: [any Command.Type] { [ExtensionHostCommand.self] }

    private static let helpWords = ["--help", "-h"]

    static func run(_ words: [String]) async -> Int32 {
        do throws(CommandFailure) {
            guard let name = words.first else { throw .usage("which command?", help: overview) }
            if name == ExtensionBenchRun.processName {
                try ExtensionBenchRun.runProcess(Array(words.dropFirst()))
                return 0
            }
            if name == AttachmentBenchRun.processName {
                try AttachmentBenchRun.runProcess(Array(words.dropFirst()))
                return 0
            }
            if name == FetchBenchRun.processName {
                try await FetchBenchRun.runProcess(Array(words.dropFirst()))
                return 0
            }
            if name == ProviderBenchRun.processName {
                try await ProviderBenchRun.runProcess(Array(words.dropFirst()))
                return 0
            }
            if helpWords.contains(name) || name == "help" {
                try Output.print(overview)
                return 0
            }
            let all = commands + ownCommands
            // A name of two words is more than the same first word.
            for wordCount in [2, 1] {
                let name = words.prefix(wordCount).joined(separator: " ")
                guard words.count >= wordCount, let command = all.first(where: { $0.name == name }) else { continue }
                try await run(command, Array(words.dropFirst(wordCount)))
                return 0
            }
            throw .usage("there is no command '\(TerminalText.safe(name))'", help: overview)
        } catch {
            Output.complain(error.text)
            return error.exitCode
        }
    }

    private static func run(_ command: any Command.Type, _ words: [String]) async throws(CommandFailure) {
        if words.contains(where: helpWords.contains) {
            try Output.print(command.help)
            return
        }
        let arguments = try Arguments(words, for: command)
        try await command.init(arguments).run()
    }

    private static var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let rows = commands.map { command in
            "  " + command.name + String(repeating: " ", count: width - command.name.count + 2) + command.summary
        }
        return """
            usage: sealedpush COMMAND …

            \(rows.joined(separator: "\n"))

            'sealedpush COMMAND --help' shows a command's options and an example.
            """
    }
}
