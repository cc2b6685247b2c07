import Envelope
import TestSupport
import Testing

extension CommandLineTests {
    /// The page's calls, without a browser; Tests/Conformance/Service/playground is the browser's side.
    struct PlaygroundTests {
        private static let topic = "com.example.app"

        private static func push(_ payload: String, _ more: String = "") -> String {
            var writer = JSONWriter()
            writer.string(payload)
            let quoted = String(decoding: writer.bytes, as: UTF8.self)
            return #"{"payload":\#(quoted),"apns-topic":"\#(topic)","apns-push-type":"alert"\#(more)}"#
        }

        private static let given = [
            "--certificate", "x", "--certificate-key", "x", "--provider-key", "x", "--key-id", "ABCDEFGHIJ",
            "--team-id", "ABCDEFGHIJ",
        ]

        @Test(arguments: [
            (["--playground"] + given, "--playground needs the simulator's own keys"),
            (["--extension", "x"], "--extension goes only with --playground"),
        ])
        func `options that do not fit are refused`(_ words: [String], _ sentence: String) async throws {
            let run = try await Invocation(["simulate"] + words, in: try Folder()).run()
            #expect(run.end == .exit(2) && run.error.contains(sentence), "\(run)")
        }

        @Test func `a fired push is at Apple and on the screen`() async throws {
            let simulator = try await OwnSimulator("--playground")
            let fired = try await simulator.control(
                "POST /v1/playground/pushes",
                Self.push(#"{"aps":{"alert":{"title":"Ada","body":"Lunch?"}}}"#)
            )
            #expect(fired.status == 202)
            let id = try fired.json.text("apns-id")
            let (apple, shown) = (
                try await simulator.event("apple", of: id), try await simulator.event("shown", of: id)
            )
            #expect(try apple.text("event") == "accepted")
            #expect(try shown.text("body") == "Lunch?" && shown.text("svg").contains("Lunch?"))
        }

        @Test func `a sealed message is opened by the phone, and Apple cannot read it`() async throws {
            let simulator = try await OwnSimulator("--playground")
            let sealed = try await simulator.control(
                "POST /v1/playground/messages",
                #"{"title":"Ada","body":"tangerine"}"#
            )
            let fired = try await simulator.control(
                "POST /v1/playground/pushes",
                Self.push(try sealed.json.text("payload"))
            )
            let id = try fired.json.text("apns-id")
            #expect(try await !simulator.event("apple", of: id).text("payload").contains("tangerine"))
            #expect(try await simulator.event("shown", of: id).text("body") == "tangerine")
        }

        @Test(arguments: [
            (#","priority":"1""#, 400), (#","apns-priority":10"#, 400), (#","apns-topic2":"x""#, 400),
            (#","apns-collapse-id":"a b""#, 400), (#","apns-collapse-id":"ab""#, 200),
        ])
        func `a field that no header can have is refused`(_ more: String, _ status: Int) async throws {
            let simulator = try await OwnSimulator("--playground")
            let answer = try await simulator.control("POST /v1/playground/checks", Self.push("{}", more))
            #expect(answer.status == status)
        }

        @Test func `an unknown condition changes none`() async throws {
            let simulator = try await OwnSimulator("--playground")
            for body in [#"{"lock":"open"}"#, #"{"colour":"red"}"#, #"{"focus":"on","lock":"open"}"#] {
                #expect(try await simulator.control("POST /v1/playground/conditions", body).status == 400)
            }
            let state = try await simulator.control("GET /v1/playground").json
            for condition in state["conditions"]?.elements ?? [] {
                #expect(condition["value"]?.string == condition["values"]?.elements?.first?.string)
            }
        }
    }
}

extension OwnSimulator {
    /// Waits for an event of the page.
    fileprivate func event(_ name: String, of id: String) async throws -> JSONValue {
        let (port, bearer) = (controlPort, bearer)
        let line = try await Task.detached {
            let page = try PlainCaller(port: port)
            page.write(
                "GET /v1/playground/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(bearer)\r\n\r\n"
            )
            return page.rest { text in
                text.split(separator: "\n\n").first { $0.contains("event: \(name)\n") && $0.contains(id) }
                    .flatMap { $0.split(separator: "data: ").last.map(String.init) }
            }
        }.value
        return try JSONValue(line: try #require(line))
    }
}
