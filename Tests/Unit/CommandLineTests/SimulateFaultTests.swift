import TestSupport
import Testing

extension CommandLineTests {
    struct SimulateFaultTests {
        @Test func `a rule of the command line makes its push go wrong`() async throws {
            let simulator = try await OwnSimulator("--fault", "rejected,reason=BadDeviceToken,count=1")
            let refused = try await simulator.push()
            #expect(refused.end == .exit(1) && refused.error.contains("400 BadDeviceToken"), "\(refused)")
            let injected = try await simulator.process.event("injected")
            #expect(try injected.text("reason") == "BadDeviceToken" && injected.text("detail").hasPrefix("rejected,"))
            #expect(try await simulator.push().isDone)
        }

        @Test func `chance begins with the seed that is printed`() async throws {
            let simulator = try await OwnSimulator("--faults", "4711:10")
            #expect(simulator.seed == 4_711)
            let faults = try await simulator.control("GET /v1/faults").json
            #expect(try faults.integer("seed") == 4_711 && faults.integer("percent") == 10)
        }

        @Test func `without a seed each run has its own`() async throws {
            let (one, other) = (try await OwnSimulator(), try await OwnSimulator())
            #expect(one.seed != other.seed)
        }

        @Test func `token check tells environment, topic and that the token is active`() async throws {
            let simulator = try await OwnSimulator("--app", "com.example.other")
            let run = try await simulator.checkToken(try simulator.deviceToken)
            #expect(
                run.isDone && run.output == "environment sandbox, topic com.example.other, kind app, device offline\n",
                "\(run)"
            )
            let json = try JSONLine(try await simulator.checkToken(try simulator.deviceToken, "--json").output)
            #expect(try json.bool("active") && json.text("topic") == "com.example.other")
        }

        @Test func `token check says why a token is not active`() async throws {
            let simulator = try await OwnSimulator()
            _ = try await simulator.control("POST /v1/devices/1/state", #"{"state":"app-removed"}"#)
            let gone = try await simulator.checkToken(try simulator.deviceToken)
            #expect(gone.end == .exit(1) && gone.error.contains("the app was removed"), "\(gone)")
            let unknown = try await simulator.checkToken("abcd")
            #expect(unknown.end == .exit(1) && unknown.error.contains("never issued it"), "\(unknown)")
            let malformed = try await simulator.checkToken("hello")
            #expect(malformed.isRefused("two digits for each byte"), "\(malformed)")
        }

        @Test func `token check names a wrong secret and a port where nobody listens`() async throws {
            let simulator = try await OwnSimulator()
            let wrong = try await Run.sealedpush(
                "token",
                "check",
                "ab",
                "--control",
                simulator.url,
                "--bearer",
                "wrong",
                in: simulator.folder
            )
            #expect(wrong.isRefused("401"), "\(wrong)")
            let port = try HeldPort.deaf()
            let nobody = try await Run.sealedpush(
                "token",
                "check",
                "ab",
                "--control",
                "http://127.0.0.1:\(port.number)",
                "--bearer",
                "b",
                in: simulator.folder
            )
            #expect(nobody.end == .exit(1) && nobody.error.contains("127.0.0.1:\(port.number)"), "\(nobody)")
        }

        @Test func `what was recorded is answered in the same way when it is sent again`() async throws {
            let simulator = try await OwnSimulator("--record", "session.jsonl")
            #expect(try await simulator.push().isDone)
            #expect(try await simulator.push("abcd").end == .exit(1))
            #expect(try await simulator.push(topic: "com.example.wrong").end == .exit(1))
            #expect(try await simulator.stop().end == .exit(0))
            let text = try simulator.folder.text("session.jsonl")
            #expect(try !text.contains(simulator.deviceToken) && !text.contains("eyJ") && !text.contains("Hello"))
            #expect(try simulator.folder.mode("session.jsonl") == 0o600)

            let second = try await OwnSimulator(in: simulator.folder)
            let replay = try await Self.replay("session.jsonl", on: second)
            #expect(replay.isDone && replay.output == "3 requests, 0 answered differently\n", "\(replay)")
            // The app is gone: only the first push finds that out.
            _ = try await second.control("POST /v1/devices/1/state", #"{"state":"app-removed"}"#)
            let changed = try await Self.replay("session.jsonl", on: second)
            #expect(changed.end == .exit(1), "\(changed)")
            #expect(changed.error.contains("session.jsonl:1: recorded 200, answered 410 Unregistered"), "\(changed)")
        }

        @Test func `a recording is never written over`() async throws {
            let folder = try Folder()
            try folder.write("session.jsonl", "mine")
            let run = try await Run.sealedpush(
                "simulate",
                "--port",
                "0",
                "--device-port",
                "0",
                "--record",
                "session.jsonl",
                in: folder
            )
            #expect(run.isRefused("session.jsonl exists already"), "\(run)")
            #expect(try folder.text("session.jsonl") == "mine")
        }

        @Test func `a line that is no recording, and a device without a token, are named`() async throws {
            let simulator = try await OwnSimulator("--record", "session.jsonl")
            #expect(try await simulator.push().isDone)
            try simulator.folder.write("other.jsonl", try simulator.folder.text("session.jsonl") + "hello\n")
            #expect(try await Self.replay("other.jsonl", on: simulator).isRefused("other.jsonl:2: not a line"))
            try simulator.folder.write("none", "")
            let run = try await Self.replay("session.jsonl", on: simulator, tokens: "none")
            #expect(run.isRefused("session.jsonl:1: device 1 has no token"), "\(run)")
        }

        private static func replay(_ path: String, on simulator: OwnSimulator, tokens: String? = nil) async throws
            -> Run
        {
            try await Run.sealedpush(
                "simulate",
                "replay",
                path,
                "--against",
                "localhost:\(simulator.pushPort)",
                "--ca",
                simulator.own("ca.pem"),
                "--provider-key",
                simulator.own("provider.p8"),
                "--key-id",
                "SIMULATED1",
                "--team-id",
                "SIMULATEAM",
                "--tokens",
                tokens ?? simulator.own("device.token"),
                in: simulator.folder
            )
        }
    }
}
