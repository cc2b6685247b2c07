import Glibc
import Testing

extension CommandLineTests {
    /// Seeds, texts and tokens, which no command prints without need.
    struct SecrecyTests {
        private static let canary = "Canary-4f1e"

        @Test func `seal prints neither the text nor the sender's seed`() async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", #"{"title":"\#(Self.canary)","body":"\#(Self.canary)"}"#)
            var runs = [try await place.seal("m.json"), try await place.seal("m.json", "--out", "p.json", "--json")]
            runs.append(try await place.seal("m.json", "--lifetime", "8d"))
            try place.folder.write("m.json", #"{"title":"\#(Self.canary)","\#(Self.canary)":1}"#)
            runs.append(try await place.seal("m.json"))
            try place.folder.write("m.json", #"{"title":"\#(Self.canary)" "#)
            runs.append(try await place.seal("m.json"))
            #expect(runs.map(\.end) == [.exit(0), .exit(0), .exit(1), .exit(1), .exit(1)])
            try Self.expectNoSecret(in: runs)
        }

        @Test func `open prints no text that it does not trust`() async throws {
            let place = try await Workplace()
            _ = try Correspondents(seed: 9, in: place.folder)
            let push = try await place.push(#"{"title":"\#(Self.canary)","body":"\#(Self.canary)"}"#)
            let run = try await place.run(
                ["open", push, "--device-key", Program.keys + "/device.key", "--senders", "their.senders"]
                    + Workplace.allow
            )
            #expect(run.end == .exit(1))
            try Self.expectNoSecret(in: [run])
        }

        @Test(arguments: [true, false])
        func `send, the simulator and a device's errors print neither text nor token`(_ printsJSON: Bool) async throws {
            let options = Site.simulator.filter { printsJSON || $0 != "--json" }
            let site = try await NetworkRuns(options, printsJSON: printsJSON, text: Self.canary)
            try Self.expectNoSecret(in: site.runs)
            for run in site.runs {
                #expect(!run.output.contains(site.token) && !run.error.contains(site.token), "\(run)")
            }
        }

        /// Other paths may hold a token too, in another place.
        @Test(arguments: ["/3/device/%/extra", "/3/devices/%", "/%", "/4/device/%?x", "/3/device/%?x=/y"])
        func `the simulator prints no token of a path that is none of Apple's`(_ path: String) async throws {
            let site = try await Site()
            let token = String(repeating: "c4", count: 32)
            let status = try await site.post(path.replacing("%", with: token))
            #expect(status == 404)
            _ = try await site.simulator.event("rejected")
            site.simulator.stop()
            let run = try await site.simulator.end()
            // Neither a part of it, longer than a random id may hold.
            let part = token.prefix(12)
            #expect(run.end == .exit(0) && !run.output.contains(part) && !run.error.contains(part), "\(run)")
        }

        @Test func `keygen prints nothing`() async throws {
            let folder = try Folder()
            let run = try await Run.sealedpush("keygen", "sender", "--out", ".", in: folder)
            #expect(run.isDone && run.output.isEmpty)
            let again = try await Run.sealedpush("keygen", "sender", "--out", ".", in: folder)
            let seed = try #require(try folder.text("sender.key").split(whereSeparator: \.isWhitespace).last)
            #expect(seed.count == 43 && !again.error.contains(seed))
        }

        /// Checks for the canary, and for the seeds of every example key.
        private static func expectNoSecret(in runs: [Run]) throws {
            let files = ["sender.key", "device.key", "provider.p8", "simulator.key"]
            let secrets = try files.flatMap { name in
                try Folder.contents(Program.keys + "/" + name).split(whereSeparator: \.isWhitespace)
                    .filter { $0.count >= 43 && !$0.hasPrefix("--") }
            }
            #expect(secrets.count >= 4)
            for run in runs {
                for secret in secrets + [canary[...]] {
                    #expect(!run.output.contains(secret) && !run.error.contains(secret), "\(run)")
                }
            }
        }
    }
}

/// Output of simulator, device and sender over two accepted pushes and one refused.
private struct NetworkRuns {
    let runs: [Run]
    let token: String

    init(_ options: [String], printsJSON: Bool, text: String) async throws {
        let place = try await Workplace()
        let simulator = try place.invocation(["simulate"] + options + Workplace.allow).start()
        let ready = try await simulator.line()
        let ports = try Self.ports(ready, printsJSON: printsJSON)
        let json = printsJSON ? ["--json"] : []
        let device = try place.invocation(
            ["device", "--token-out", "token"] + Site.device(port: ports.device) + Workplace.allow + json
        ).start()
        _ = try await device.line()
        token = try place.folder.text("token").filter { !$0.isNewline }

        let push = try await place.push(#"{"title":"\#(text)","body":"\#(text)"}"#)
        try place.folder.write("damaged.json", Damage.all[0].apply(try place.folder.text(push)))
        try place.folder.write("bare.json", #"{"sealed":"\#(text)"}"#)
        var runs: [Run] = []
        for (file, topic, flags) in [
            ("damaged.json", Workplace.topic, []), ("bare.json", Workplace.topic, ["--allow-clear"]),
            (push, "com.example.other", []),
        ] {
            var sender = Site.sender(port: ports.push)
            sender[1] = topic
            runs.append(
                try await place.run(["send", file, "--to-file", "token"] + sender + Workplace.allow + flags + json)
            )
        }
        // A line each for the two pushes that it got.
        for _ in 1...2 { _ = try await device.line() }
        for process in [device, simulator] {
            process.signal(SIGTERM)
            runs.append(try await process.end())
        }
        guard runs.map(\.end) == [.exit(0), .exit(0), .exit(1), .exit(0), .exit(0)] else {
            throw Unexpected("\(runs)")
        }
        self.runs = runs
    }

    private static func ports(_ line: String, printsJSON: Bool) throws -> (push: Int64, device: Int64) {
        if printsJSON {
            let event = try JSONLine(line + "\n")
            return (try event.integer("push-port"), try event.integer("device-port"))
        }
        let numbers = line.split { !$0.isNumber && $0 != "." && $0 != ":" }.compactMap { word in
            word.split(separator: ":").last.flatMap { Int64($0) }
        }
        guard numbers.count == 2 else { throw Unexpected(line) }
        return (numbers[0], numbers[1])
    }
}
