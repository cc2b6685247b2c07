import Foundation
import Testing

extension CommandLineTests {
    /// A host that takes the connection and never answers.
    struct ProgressTests {
        private static func upload(to listener: borrowing Listener, in folder: Folder) throws -> String {
            try folder.write("stored", "sealed")
            try folder.write("token", "t")
            return "\(Program.path) attachment upload stored --to https://localhost:\(listener.port) --token-file token"
        }

        /// Waits until a terminal has seen the work.
        private static func terminalSees(_ line: String, in folder: Folder) async throws {
            var shell = Invocation.shell(
                "script --quiet --flush --command '\(line)' /dev/null | stdbuf -o0 tr '\\r' '\\n'",
                in: folder
            )
            shell.isGroup = true
            let process = try shell.start()
            while try await !process.line().contains("uploading stored: 0 MiB, ") {}
            process.signalGroup(SIGTERM)
            _ = try await process.end()
        }

        @Test func `a terminal sees work that takes longer than a second, a pipe nothing of it`() async throws {
            let folder = try Folder()
            let listener = try Listener()
            let line = try Self.upload(to: listener, in: folder)
            let piped = try Invocation.shell("exec \(line)", in: folder).start()
            // The piped one began before.
            try await Self.terminalSees(line, in: folder)
            piped.stop()
            let run = try await piped.end()
            #expect(!run.error.contains("uploading") && run.error.contains("cancelled"), "\(run)")
        }
    }
}
