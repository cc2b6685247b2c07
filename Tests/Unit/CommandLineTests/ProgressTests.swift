import Testing

extension CommandLineTests {
    /// A host that takes the connection and never answers.
    struct ProgressTests {
        private static func upload(to listener: borrowing Listener, in folder: Folder) throws -> String {
            try folder.write("stored", "sealed")
            try folder.write("token", "t")
            return "\(Program.path) attachment upload stored --to https://localhost:\(listener.port) --token-file token"
        }

        @Test func `a terminal sees work that takes longer than a second`() async throws {
            let folder = try Folder()
            let listener = try Listener()
            let line = try Self.upload(to: listener, in: folder)
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

        @Test func `a pipe sees nothing of it`() async throws {
            let folder = try Folder()
            let listener = try Listener()
            let process = try Invocation.shell("exec \(try Self.upload(to: listener, in: folder))", in: folder).start()
            // The terminal's copy of the same upload has said it by now: this one is older.
            let terminal = try Invocation.shell(
                "script --quiet --flush --command '\(try Self.upload(to: listener, in: folder))' /dev/null"
                    + " | stdbuf -o0 tr '\\r' '\\n'",
                in: folder
            )
            var group = terminal
            group.isGroup = true
            let shown = try group.start()
            while try await !shown.line().contains("uploading") {}
            shown.signalGroup(SIGTERM)
            _ = try await shown.end()
            process.stop()
            let run = try await process.end()
            #expect(!run.error.contains("uploading") && run.error.contains("cancelled"), "\(run)")
        }
    }
}
