import Envelope
import Testing

extension CommandLineTests {
    struct AttachmentCommandTests {
        private static let type = ["--type", "image/png"]

        private func place(_ file: String = "a picture") async throws -> Workplace {
            let place = try await Workplace()
            try place.folder.write("file", file)
            return place
        }

        private func seal(in place: Workplace, _ options: [String] = []) async throws -> JSONValue {
            let run = try await place.run(["attachment", "seal", "file", "stored"] + Self.type + options)
            guard run.isDone else { throw Unexpected("not sealed: \(run)") }
            try place.folder.write("pointer", run.output)
            return try JSONLine(run.output).value
        }

        private func open(in place: Workplace) async throws -> Run {
            try await place.run(["attachment", "open", "stored", "opened", "--pointer", "pointer"])
        }

        @Test(arguments: [0, 1, 20_000])
        func `what was sealed opens`(_ count: Int) async throws {
            let place = try await place(String(repeating: "x", count: count))
            let pointer = try await seal(in: place)
            #expect(try pointer.integer("size") == Int64(count))
            #expect(try Int(pointer.integer("stored")) == place.folder.bytes("stored").count)
            let run = try await open(in: place)
            #expect(run.isDone && run.output.isEmpty, "\(run)")
            #expect(try place.folder.text("opened") == String(repeating: "x", count: count))
            for name in ["stored", "opened"] { #expect(try place.folder.mode(name) == 0o600) }
        }

        @Test func `the pointer is what a message takes`() async throws {
            let url = "https://files.example.com/v1/blobs/a"
            let place = try await place()
            _ = try await seal(in: place, ["--url", url, "--name", "Cat", "--thumbnail"])
            try await sealAnother(in: place, url: url + "b")
            let pointers = try ["pointer", "another"].map { try place.folder.text($0).dropLast() }
            let message = #"{"body":"b","attachments":[\#(pointers.joined(separator: ","))]}"#
            let attachments = try Message(sealedBody: Array(message.utf8)).attachments
            #expect(attachments.map(\.isThumbnail) == [true, false] && attachments.first?.name == "Cat")
            #expect(attachments.first?.url.text == url && attachments.first?.type.text == "image/png")
        }

        private func sealAnother(in place: Workplace, url: String) async throws {
            let run = try await place.run(["attachment", "seal", "file", "stored-2", "--url", url] + Self.type)
            try place.folder.write("another", run.output)
        }

        @Test func `two seals share neither id nor key`() async throws {
            let place = try await place()
            let first = try await seal(in: place)
            try await sealAnother(in: place, url: "https://a.example/")
            let second = try JSONLine(try place.folder.text("another")).value
            #expect(try first.text("id") != second.text("id") && first.text("key") != second.text("key"))
        }

        @Test func `a file that is there already is not touched`() async throws {
            let place = try await place()
            try place.folder.write("stored", "mine")
            let run = try await place.run(["attachment", "seal", "file", "stored"] + Self.type)
            #expect(run.isRefused("stored exists already and was not changed"), "\(run)")
            #expect(try place.folder.text("stored") == "mine")
        }

        @Test func `what is not the pointer's, or not whole, leaves no file`() async throws {
            let place = try await place(String(repeating: "x", count: 20_000))
            _ = try await seal(in: place)
            let stored = try place.folder.bytes("stored")
            let faults: [([UInt8], String)] = [
                (Array(stored.dropLast()), "stored ends too early"), (stored + [0], "stored is longer than"),
                ([stored[0] ^ 1] + stored.dropFirst(), "stored is not the attachment that the pointer is for"),
                (stored.dropLast() + [stored[stored.count - 1] ^ 1], "stored is damaged in chunk 1"),
            ]
            for (bytes, words) in faults {
                try place.folder.write("stored", bytes: bytes)
                let run = try await open(in: place)
                #expect(run.isRefused(words), "\(run)")
            }
            #expect(try place.folder.names == ["device.bundle", "file", "pointer", "stored"])
        }

        @Test(arguments: [
            "", "{}", "[]", #"{"id":"AAAAAAAAAAAAAAAAAAAAAA","key":"AAAA","size":1}"#,
            #"{"id":"AAAAAAAAAAAAAAAAAAAAAA","key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","size":-1}"#,
        ])
        func `a pointer that is none is refused`(_ pointer: String) async throws {
            let place = try await place()
            _ = try await seal(in: place)
            try place.folder.write("pointer", pointer)
            let run = try await open(in: place)
            #expect(run.isRefused("pointer does not hold"), "\(run)")
        }

        /// 512 or 1,024 bytes, as the shell counts.
        @Test func `a file that may not grow leaves nothing behind`() async throws {
            let place = try await place(String(repeating: "x", count: 20_000))
            let words = "\(Program.path) attachment seal file small --type image/png"
            let sealed = try await Invocation.shell("ulimit -f 1; exec \(words)", in: place.folder).run()
            #expect(sealed.isRefused("small: File too large"), "\(sealed)")
            _ = try await seal(in: place)
            let line = "ulimit -f 1; exec \(Program.path) attachment open stored opened --pointer pointer"
            let opened = try await Invocation.shell(line, in: place.folder).run()
            #expect(opened.isRefused("opened: File too large"), "\(opened)")
            #expect(try place.folder.names == ["device.bundle", "file", "pointer", "stored"])
        }

        @Test func `without a reader for the key there is no sealed file`() async throws {
            let place = try await place()
            var invocation = place.invocation(["attachment", "seal", "file", "stored"] + Self.type)
            invocation.output = .file("/dev/full")
            let run = try await invocation.run()
            #expect(run.isRefused("standard output could not be written"), "\(run)")
            #expect(try place.folder.names == ["device.bundle", "file"])
        }
    }
}
