import Foundation
import Testing

extension CommandLineTests {
    struct ManualTests {
        @Test(arguments: ShippedProgram.all)
        func `the manual has each command and option of the help, and man and mandoc read it without a warning`(
            _ program: ShippedProgram
        ) async throws {
            let folder = try Folder()
            let manual = try await program.run(["--manual"])
            #expect(manual.isDone && manual.output.hasPrefix(#".\" Made by: "#), "\(manual)")
            try folder.write("page", manual.output)
            for (tool, words) in [
                ("/usr/bin/mandoc", ["-T", "lint", "-W", "warning", "page"]),
                ("/usr/bin/man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "page"]),
            ] where FileManager.default.isExecutableFile(atPath: tool) {
                var invocation = Invocation(words, of: tool, in: folder)
                invocation.environment = ["MANWIDTH": "80", "LC_ALL": "C.UTF-8"]
                let run = try await invocation.run()
                #expect(run.isDone && (tool.hasSuffix("man") || run.output.isEmpty), "\(run)")
            }
            let text = manual.output.replacing(#"\-"#, with: "-")
            for (command, help) in try await program.helps() {
                let heading = try Regex("\n.Ss \"?\(command)\"?\n")
                #expect(command.isEmpty || text.contains(heading), "\(command)")
                for option in ShippedProgram.options(in: help) where option != "--help" || command.isEmpty {
                    let name = option.dropFirst()
                    #expect(text.contains(try Regex("\n.It (Fl o , )?Fl \(name)[ \n]")), "\(command) \(option)")
                }
            }
        }

        @Test func `its date is that of a reproducible build, if there is one`() async throws {
            var invocation = Invocation(["--manual"], in: try Folder())
            invocation.environment = ["SOURCE_DATE_EPOCH": "1780000000"]
            let run = try await invocation.run()
            #expect(run.isDone && run.output.contains("\n.Dd May 28, 2026\n"), "\(run)")
        }
    }
}
