import Testing

extension CommandLineTests {
    /// A stranger's text, whose escapes a terminal shows and does not obey.
    struct TerminalTests {
        private static let hostile = #"\u001b]0;owned\u0007\u001b[2Jred\u202Egnp.exe\u2066\u009b31m\r"#
        private static let shown =
            #"\u{1B}]0;owned\u{7}\u{1B}[2Jred\u{202E}gnp.exe\u{2066}\u{9B}31m\u{D}"#

        @Test func `open shows a message's escapes`() async throws {
            let place = try await Workplace()
            let push = try await place.push(#"{"title":"\#(Self.hostile)","body":"\#(Self.hostile)"}"#)
            let run = try await place.open(push)
            #expect(run.isDone && run.output == "\(Self.shown)\n\(Self.shown)\n", "\(run)")
        }

        @Test func `a device shows no escape that a terminal would obey`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--count", "1")
            #expect(try await site.send(try await site.place.push(#"{"body":"\#(Self.hostile)"}"#)).isDone)
            let run = try await device.end()
            #expect(run.isDone && run.output.contains("gnp.exe"), "\(run)")
            #expect(!Self.isObeyed(run.output), "\(run)")
        }

        @Test(arguments: [false, true])
        func `inspect shows the escapes of what is in clear`(_ hasSealed: Bool) async throws {
            let place = try await Workplace()
            var push = #"{"aps":{"alert":"\#(Self.hostile)"},"trace":"\#(Self.hostile)","\#(Self.hostile)":1}"#
            if hasSealed { push = push.dropLast() + #","sealed":"\#(Self.hostile)"}"# }
            try place.folder.write("push.json", push)
            let run = try await place.run(["inspect", "push.json"])
            #expect(run.end == .exit(1) && run.output.contains("gnp.exe"), "\(run)")
            #expect(!Self.isObeyed(run.output) && !Self.isObeyed(run.error), "\(run)")
        }

        @Test func `a reason with escapes from the server's side does not reach the terminal as they are`() async throws
        {
            let place = try await Workplace()
            let run = try await place.run(
                ["send", "p", "--server", "\u{1B}[31m:1"] + Site.sender(port: 1).dropLast(4) + ["--to", "ab"]
            )
            #expect(run.end != .exit(0) && !Self.isObeyed(run.error), "\(run)")
        }

        /// True for control characters but the line feed, and for changes of direction.
        private static func isObeyed(_ text: String) -> Bool {
            text.unicodeScalars.contains { scalar in
                (scalar.properties.generalCategory == .control && scalar != "\n")
                    || scalar.properties.generalCategory == .format && scalar != "\u{200D}"
            }
        }
    }
}
