import Foundation
import Testing

extension CommandLineTests {
    /// Calls, from a message or a word of the command line to the app's input.
    struct CallCommandTests {
        private static let call = #"{"op":"call","call":"room 7"}"#

        @Test func `a call becomes a VoIP push, which has no placeholder and always the same length`() async throws {
            let place = try await Workplace()
            try place.folder.write("call.json", Self.call)
            let fromFile = try await place.seal("call.json", "--class", "call", "--out", "a.json", "--json")
            #expect(fromFile.isDone, "\(fromFile)")
            #expect(try JSONLine(fromFile.output).text("class") == "call")
            let text = ["--call", String(repeating: "long ", count: 500), "--out", "b.json"]
            #expect(try await place.run(["seal"] + text + Workplace.parties + Workplace.allow).isDone)
            for name in ["a.json", "b.json"] {
                let payload = try place.folder.bytes(name)
                #expect(payload.count == 4_919)
                #expect(payload.starts(with: #"{"aps":{},"sealed":""#.utf8))
            }
        }

        @Test func `open prints what the app would get, for 30 seconds unless the sender says otherwise`() async throws
        {
            let place = try await Workplace()
            try place.folder.write("call.json", Self.call)
            for (options, seconds) in [([], 30), (["--lifetime", "60s"], 60)] {
                let out = ["--out", "push.json"] + options
                #expect(try await place.run(["seal", "call.json"] + Workplace.parties + Workplace.allow + out).isDone)
                let opened = try await place.openAsCallee("push.json")
                #expect(opened.isDone && opened.output == "[call: room 7]\n", "\(opened)")
                let object = try JSONLine(try await place.openAsCallee("push.json", "--json").output)
                #expect(try object.text("call") == "room 7")
                #expect(try object.integer("expires-at") - object.integer("sent-at") == Int64(seconds) * 1_000)
            }
        }

        @Test func `a sender without the right to call is told what gives it`() async throws {
            let place = try await Workplace()
            try place.folder.write("call.json", Self.call)
            #expect(try await place.seal("call.json", "--out", "push.json").isDone)
            let run = try await place.open("push.json")
            #expect(run.isRefused("no right to", "contact list"), "\(run)")
        }

        @Test(arguments: ["61s", "2m", "1d"])
        func `a call that would ring for more than a minute is refused, and nothing is written`(_ lifetime: String)
            async throws
        {
            let place = try await Workplace()
            try place.folder.write("call.json", Self.call)
            let run = try await place.seal("call.json", "--lifetime", lifetime, "--out", "push.json")
            #expect(run.isRefused("60s at most", "--lifetime 60s or less"), "\(run)")
            #expect(try place.folder.names == ["call.json", "device.bundle"])
        }

        @Test func `a message of the other kind than --class is refused`() async throws {
            let place = try await Workplace()
            try place.folder.write("call.json", Self.call)
            try place.folder.write("text.json", #"{"body":"Hello"}"#)
            let text = try await place.seal("text.json", "--class", "call")
            #expect(text.isRefused("needs a call", #""op":"call""#, "--call TEXT"), "\(text)")
            let call = try await place.seal("call.json", "--class", "alert")
            #expect(call.isRefused("cannot be an alert", "--class call"), "\(call)")
            #expect(try await place.seal("text.json", "--class", "alert", "--out", "push.json").isDone)
        }

        @Test(arguments: ["--placeholder-title", "--placeholder-body", "--placeholder-key"])
        func `a placeholder beside a call is refused, since nothing would show it`(_ option: String) async throws {
            let place = try await Workplace()
            try place.folder.write("call.json", Self.call)
            let run = try await place.seal("call.json", option, "Acme")
            #expect(run.isRefused("a call shows no placeholder", option), "\(run)")
        }

        @Test func `inspect says that it is a call, and shows nothing of it`() async throws {
            let place = try await Workplace()
            try place.folder.write("call.json", #"{"op":"call","call":"Canary room"}"#)
            #expect(try await place.seal("call.json", "--out", "push.json").isDone)
            let rows = try await place.run(["inspect", "push.json"])
            #expect(rows.isDone && rows.output.contains("a VoIP push") && rows.output.contains("3606 bytes"), "\(rows)")
            let json = try await place.run(["inspect", "push.json", "--json"])
            #expect(try JSONLine(json.output).text("class") == "call")
            #expect(!(rows.output + json.output).contains("Canary "))
            let alert = try await place.run(["inspect", try await place.push(), "--json"])
            #expect(try JSONLine(alert.output).text("class") == "alert")
        }

        @Test func `send takes a call to the topic of calls only, and nothing else there`() async throws {
            let place = try await Workplace()
            try place.folder.write("call.json", Self.call)
            #expect(try await place.seal("call.json", "--out", "call.push").isDone)
            let message = try await place.push()
            for (push, topic, words) in [
                ("call.push", "com.example.chat", "with .voip at the end of --topic"),
                (message, "com.example.chat.voip", "leave .voip"),
            ] {
                let run = try await place.run(
                    [
                        "send", push, "--to", String(repeating: "ab", count: 32), "--topic", topic, "--provider-key",
                        Program.keys + "/provider.p8", "--key-id", "EXAMPLEKEY", "--team-id", "EXAMPLTEAM",
                        "--server", "localhost:1",
                    ] + Workplace.allow
                )
                #expect(run.isRefused(words), "\(run)")
            }
        }
    }
}

extension Workplace {
    /// Opens with a contact list in which the example sender may call.
    fileprivate func openAsCallee(_ push: String, _ options: String...) async throws -> Run {
        let key = try String(contentsOfFile: Program.keys + "/sender.pub", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try folder.write(
            "contacts",
            "sealedpush-contacts-1\nunknown-senders placeholder\n\(key) person call Ada Lovelace\n"
        )
        let keys = ["--device-key", Program.keys + "/device.key", "--senders", "contacts"]
        return try await run(["open", push] + keys + Workplace.allow + options)
    }
}
