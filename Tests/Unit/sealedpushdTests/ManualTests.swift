import CommandLineTool
import ServiceParts
import Testing

@testable import sealedpushd

/// Table of the command line, from which help and manual are made, against the parser.
struct ManualTests {
    @Test func `every command and option of the table is one that the parser takes`() {
        for command in Usage.table.commands {
            let known = ["make-key": ["f"], "backup": ["f"], "move": ["f"], "acknowledge-restore": ["send"]]
            let operands = known[command.name] ?? []
            let words = [command.name].filter { !$0.isEmpty } + operands
            for option in command.options {
                let value = option.name == "--config" ? ["/c"] : []
                let needed = command.options.contains { $0.name == "--config" && option.name != "--config" }
                #expect(throws: Never.self, "\(command.name) \(option.name)") {
                    try Invocation(words + [option.name] + value + (needed ? ["--config", "/c"] : []))
                }
            }
        }
        #expect(Usage.table.commands.count == 8)
    }

    @Test func `the help of a command has its own options`() throws {
        let ended = try Ended(["backup", "--help"])
        #expect(ended.code == 0 && ended.output.hasPrefix("usage: sealedpushd backup COPY "))
        #expect(ended.output.contains("--config FILE") && !ended.output.contains("--check-config"))
    }

    @Test(arguments: [ExitCode.done, ExitCode.failed, ExitCode.usage, ExitCode.configuration])
    func `every exit code is in the manual`(_ code: Int32) throws {
        let parts = try Ended(["--manual"]).output.split(separator: ".Sh EXIT STATUS")
        #expect(parts.count == 2 && parts[1].contains("\n.It \(code)\n"))
    }
}
