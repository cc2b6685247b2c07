import Envelope
import Foundation
import Keys
import Testing

extension CommandLineTests {
    struct BadKeyTests {
        @Test(arguments: [0o644, 0o640, 0o604, 0o620])
        func `a private key that others may touch is refused`(_ mode: Int) async throws {
            let place = try await Workplace()
            #expect(try await place.run(["keygen", "sender", "--out", "mine"]).isDone)
            try FileManager.default.setAttributes(
                [.posixPermissions: mode],
                ofItemAtPath: place.folder.file("mine/sender.key")
            )
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let run = try await place.run(["seal", "m.json", "--sender-key", "mine/sender.key"] + Self.recipient)
            #expect(
                run.isRefused("mine/sender.key", "mode 0\(String(mode, radix: 8))", "chmod 600 mine/sender.key"),
                "\(run)"
            )
        }

        @Test(arguments: [
            ("a folder", "is a folder; give the path of a file"), ("nothing", "is empty"),
            ("far too much", "larger than 65536 bytes"),
            ("another format", "does not hold 'sealedpush-sender-key-1'"), ("half a key", "does not hold"),
            ("a missing one", "no such file"),
        ])
        func `what is no private key is refused`(_ kind: String, _ words: String) async throws {
            let place = try await Workplace()
            switch kind {
            case "a folder": _ = try place.folder.makeFolder("my.key")
            case "nothing": try place.folder.write("my.key", "")
            case "far too much": try place.folder.write("my.key", String(repeating: "x", count: 70_000))
            case "another format": try place.folder.write("my.key", "-----BEGIN PRIVATE KEY-----\n")
            case "half a key": try place.folder.write("my.key", "sealedpush-sender-key-1\nsender AAAA\n")
            default: break
            }
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let run = try await place.run(["seal", "m.json", "--sender-key", "my.key"] + Self.recipient)
            #expect(run.isRefused("my.key", words), "\(run)")
        }

        @Test func `a device's keys do not seal and a sender's do not open`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            let sealed = try await place.run(
                ["seal", "message.json", "--sender-key", Program.keys + "/device.key"] + Self.recipient
                    + Workplace.allow
            )
            #expect(sealed.isRefused("device.key does not hold 'sealedpush-sender-key-1'"), "\(sealed)")
            let opened = try await place.run(
                ["open", push, "--device-key", Program.keys + "/sender.key", "--senders", Program.keys + "/sender.pub"]
                    + Workplace.allow
            )
            #expect(opened.isRefused("sender.key does not hold 'sealedpush-device-key-1'"), "\(opened)")
        }

        @Test(arguments: ["sender.pub", "identity.pub"])
        func `a public key given as a private one is called that, not asked to be hidden`(_ name: String) async throws {
            let place = try await Workplace()
            let push = try await place.push()
            let path = Program.keys + "/" + name
            let words = name + " is a public key; give the private one, the .key file"
            let sealed = try await place.run(["seal", "message.json", "--sender-key", path] + Self.recipient)
            #expect(sealed.isRefused(words), "\(sealed)")
            let opened = try await place.run(
                ["open", push, "--device-key", path, "--senders", Program.keys + "/sender.pub"]
            )
            #expect(opened.isRefused(words), "\(opened)")
        }

        @Test(arguments: ["sender.key", "device.key"])
        func `a private key given as a public one is called that`(_ name: String) async throws {
            let place = try await Workplace()
            let push = try await place.push()
            let path = Program.keys + "/" + name
            let words = name + " is a private key, for its owner alone; give the public one, the .pub file"
            let sealed = try await place.run(
                ["seal", "message.json", "--sender-key", Program.keys + "/sender.key", "--bundle", "device.bundle"]
                    + ["--identity", path, "--topic", Workplace.topic] + Workplace.allow
            )
            #expect(sealed.isRefused(words), "\(sealed)")
            let opened = try await place.run(
                ["open", push, "--device-key", Program.keys + "/device.key", "--senders", path] + Workplace.allow
            )
            #expect(opened.isRefused(words), "\(opened)")
            let number = try await place.run(["safety-number", Program.keys + "/sender.pub", path])
            #expect(number.isRefused(words), "\(number)")
        }

        @Test(arguments: ["seal", "open", "keygen", "send", "simulate", "device"])
        func `an example key does not load by accident`(_ command: String) async throws {
            let place = try await Workplace()
            let push = try await place.push()
            let run = try await place.run(Self.withoutTheFlag[command].map { [command] + $0(push) } ?? [])
            #expect(run.isRefused("is a published example key", "--allow-example-keys"), "\(run)")
        }

        @Test func `a bundle of another identity is refused`() async throws {
            let place = try await Workplace()
            let their = try Correspondents(seed: 6, in: place.folder)
            try their.writeBundle("device.bundle", at: .now)
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let run = try await place.seal("m.json")
            #expect(run.isRefused("device.bundle: ", "another identity than the pinned one"), "\(run)")
        }

        @Test func `a bundle for another app is refused`() async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let parties = Workplace.parties.dropLast() + ["com.example.other"]
            let run = try await place.run(["seal", "m.json"] + parties + Workplace.allow)
            #expect(run.isRefused("device.bundle: ", "another app; check --topic"), "\(run)")
        }

        @Test(arguments: [(-61, "has expired"), (1, "is not valid yet")])
        func `a bundle out of its time is refused`(_ days: Int, _ words: String) async throws {
            let place = try await Workplace()
            let their = try Correspondents(seed: 7, in: place.folder)
            try their.writeBundle("their.bundle", at: Timestamp.now.advanced(by: .seconds(days * 86_400)))
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let run = try await place.run(
                [
                    "seal", "m.json", "--bundle", "their.bundle", "--identity", "their.identity", "--topic",
                    Workplace.topic,
                ]
                    + ["--sender-key", Program.keys + "/sender.key"] + Workplace.allow
            )
            #expect(run.isRefused("their.bundle: this bundle \(words)"), "\(run)")
        }

        @Test(arguments: [
            ("hello, world", "is not a key bundle"), ("", "not a well-formed key bundle"), ("AQ", "not a well-formed"),
            ("AR", "is not a key bundle"), ("Ag", "version 2"),
        ])
        func `garbage is no bundle`(_ text: String, _ words: String) async throws {
            let place = try await Workplace()
            try place.folder.write("device.bundle", text)
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let run = try await place.seal("m.json")
            #expect(run.isRefused("device.bundle", words), "\(run)")
        }

        @Test func `a bundle with one bit changed is refused`() async throws {
            let place = try await Workplace()
            var characters = Array(try place.folder.text("device.bundle"))
            characters[200] = characters[200] == "A" ? "B" : "A"
            try place.folder.write("device.bundle", String(characters))
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let run = try await place.seal("m.json")
            #expect(run.isRefused("not signed by its identity"), "\(run)")
        }

        @Test func `a sender's key cannot be pinned as a device's identity`() async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let run = try await place.run(
                ["seal", "m.json", "--sender-key", Program.keys + "/sender.key", "--bundle", "device.bundle"]
                    + ["--identity", Program.keys + "/sender.pub", "--topic", Workplace.topic] + Workplace.allow
            )
            #expect(run.isRefused("sender.pub is not a line"), "\(run)")
        }

        private static let recipient = Array(Workplace.parties.dropFirst(2))

        private static let withoutTheFlag: [String: @Sendable (String) -> [String]] = [
            "seal": { _ in ["message.json"] + Workplace.parties },
            "open": { push in [push] + Workplace.reader },
            "keygen": { _ in ["bundle", "--device-key", Program.keys + "/device.key", "--out", "b"] },
            "send": { push in [push] + Site.sender(port: 1) + ["--to", "abcd"] },
            "simulate": { _ in Site.simulator },
            "device": { _ in Site.device(port: 1) },
        ]
    }
}
