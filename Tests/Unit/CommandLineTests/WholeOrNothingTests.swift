import Keys
import Testing

extension CommandLineTests {
    /// Results that are there as a whole or not at all, with an error for the caller.
    struct WholeOrNothingTests {
        /// In the first of these not even root can make files.
        @Test(arguments: ["/proc/push.json", "missing/push.json", "message.json/push.json", ""])
        func `a payload that cannot be written is refused`(_ path: String) async throws {
            let place = try await Workplace()
            try place.folder.write("message.json", #"{"body":"Hello"}"#)
            let run = try await place.seal("message.json", "--out", path.isEmpty ? place.folder.path : path)
            #expect(run.isRefused(path), "\(run)")
            #expect(try place.folder.names == ["device.bundle", "message.json"])
        }

        @Test func `a folder is not replaced by a payload`() async throws {
            let place = try await Workplace()
            try place.folder.write("message.json", #"{"body":"Hello"}"#)
            _ = try place.folder.makeFolder("push.json")
            let run = try await place.seal("message.json", "--out", "push.json")
            #expect(run.isRefused("push.json"), "\(run)")
            #expect(try place.folder.names == ["device.bundle", "message.json", "push.json"])
        }

        @Test(arguments: ["bad message", "wrong identity", "too long"])
        func `an earlier payload outlives a failure`(_ failure: String) async throws {
            let place = try await Workplace()
            let before = try place.folder.bytes(try await place.push())
            if failure == "bad message" { try place.folder.write("message.json", "{") }
            if failure == "wrong identity" {
                try Correspondents(seed: 8, in: place.folder).writeBundle("device.bundle", at: .now)
            }
            if failure == "too long" {
                try place.folder.write("message.json", #"{"body":"\#(String(repeating: "x", count: 5_000))"}"#)
            }
            let run = try await place.seal("message.json", "--too-long", "refuse", "--out", "push.json")
            #expect(run.end == .exit(1), "\(run)")
            #expect(try place.folder.bytes("push.json") == before)
        }

        @Test func `a payload replaces an earlier one`() async throws {
            let place = try await Workplace()
            let before = try place.folder.bytes(try await place.push())
            #expect(try place.folder.bytes(try await place.push()) != before)
        }

        @Test func `a file that may not grow leaves nothing behind`() async throws {
            let place = try await Workplace()
            let before = try place.folder.bytes(try await place.push())
            let words = ["seal", "message.json", "--out", "push.json"] + Workplace.parties + Workplace.allow
            let line = "ulimit -f 1; exec \(Program.path) \(words.joined(separator: " "))"
            let run = try await Invocation.shell(line, in: place.folder).run()
            #expect(run.isRefused("push.json: File too large"), "\(run)")
            #expect(try place.folder.bytes("push.json") == before)
            #expect(try place.folder.names == ["device.bundle", "message.json", "push.json"])
        }

        @Test(arguments: [
            ["--help"], ["seal", "--help"], ["inspect", "push.json"], ["inspect", "push.json", "--json"],
        ])
        func `a full disk under standard output is a failure`(_ arguments: [String]) async throws {
            let place = try await Workplace()
            _ = try await place.push()
            var invocation = place.invocation(arguments)
            invocation.output = .file("/dev/full")
            let run = try await invocation.run()
            #expect(run.isRefused("standard output could not be written (No space left on device)"), "\(run)")
        }

        @Test func `a sealed payload that nobody reads is a failure, not a death`() async throws {
            let place = try await Workplace()
            try place.folder.write("message.json", #"{"body":"Hello"}"#)
            var invocation = place.invocation(["seal", "message.json"] + Workplace.parties + Workplace.allow)
            invocation.output = .brokenPipe
            let run = try await invocation.run()
            #expect(run.isRefused("standard output could not be written (Broken pipe)"), "\(run)")
        }

        @Test func `a device that nobody listens to leaves no keys behind`() async throws {
            let site = try await Site()
            let temporary = try site.place.folder.makeFolder("tmp")
            var invocation = site.place.invocation(["device"] + Site.device(port: site.devicePort) + Workplace.allow)
            invocation.output = .brokenPipe
            invocation.environment = ["TMPDIR": temporary]
            let run = try await invocation.run()
            #expect(run.isRefused("Broken pipe"), "\(run)")
            #expect(try Folder.names(temporary) == [])
        }

        @Test func `a bundle and a token that cannot be written stop the device`() async throws {
            let site = try await Site()
            for option in ["--bundle-out", "--token-out"] {
                let run = try await site.place.run(
                    ["device", option, "missing/file"] + Site.device(port: site.devicePort) + Workplace.allow
                )
                #expect(run.isRefused("missing/file"), "\(run)")
            }
        }
    }
}
