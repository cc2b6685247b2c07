import Envelope
import Testing

extension CommandLineTests {
    /// Attachments as pointers in `seal` and `open`, which leave the files themselves to other commands.
    struct SealAttachmentTests {
        private static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

        private func pointer(_ id: String, _ rest: String = "", url: String = "https://blobs.example.com/v1/a")
            -> String
        {
            #"{"id":"\#(id)AECAwQFBgcICQoLDA0ODw","url":"\#(url)","key":"\#(id)\#(Self.key.dropFirst())","#
                + #""size":20000,"stored":20568,"type":"image/jpeg"\#(rest)}"#
        }

        private func workplace() async throws -> Workplace {
            let place = try await Workplace()
            try place.folder.write("m.json", #"{"title":"Ada","body":"Look"}"#)
            try place.folder.write("one.json", pointer("A", #","thumbnail":true"#) + "\n")
            try place.folder.write("two.json", pointer("B", #","name":"Tower\u001b[31m""#))
            return place
        }

        @Test func `attachments arrive in their order, and open prints them without their keys`() async throws {
            let place = try await workplace()
            let sealed = try await place.seal(
                "m.json",
                "--attachment",
                "one.json",
                "--attachment",
                "two.json",
                "--out",
                "push.json"
            )
            #expect(sealed.isDone && sealed.output.isEmpty, "\(sealed)")
            let opened = try await place.open("push.json")
            let lines = opened.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 4 && lines[0] == "Ada" && lines[1] == "Look", "\(opened)")
            #expect(lines[2] == "[thumbnail: image/jpeg, 20000 bytes, https://blobs.example.com/v1/a]")
            #expect(lines[3].hasPrefix("[attachment: image/jpeg, 20000 bytes") && !lines[3].contains("\u{1B}"))
            let json = try await place.open("push.json", "--json")
            let attachments = try #require(try JSONLine(json.output).value["attachments"]?.elements)
            #expect(try attachments.map { try $0.text("id") } == ["A", "B"].map { $0 + "AECAwQFBgcICQoLDA0ODw" })
            for run in [opened, json] { #expect(!run.output.contains(Self.key.dropFirst()) && run.error.isEmpty) }
        }

        @Test func `a pointer with a mistake is named by file, line and column, without its contents`() async throws {
            let place = try await workplace()
            try place.folder.write("bad.json", "{\n  \"id\": 7\n}")
            let run = try await place.seal("m.json", "--attachment", "bad.json")
            #expect(
                run.end == .exit(1) && run.error.contains("bad.json:2:9: \"id\" of an attachment must be"),
                "\(run)"
            )
            try place.folder.write("bad.json", pointer("A", url: "http://blobs.example.com/v1/a"))
            let http = try await place.seal("m.json", "--attachment", "bad.json")
            #expect(
                http.end == .exit(1) && http.error.contains("\"url\" of an attachment must be an https URL"),
                "\(http)"
            )
            #expect(!http.error.contains(Self.key) && !http.error.contains("blobs.example.com"))
        }

        @Test func `what cannot stand together is refused`() async throws {
            let place = try await workplace()
            for paths in [["one.json"], ["two.json", "two.json"]] {
                let run = try await place.run(
                    ["seal", "m.json"] + paths.flatMap { ["--attachment", $0] } + Workplace.parties + Workplace.allow
                )
                #expect(run.end == .exit(1) && run.error.contains("the message's \"attachments\""), "\(run)")
            }
        }
    }
}
