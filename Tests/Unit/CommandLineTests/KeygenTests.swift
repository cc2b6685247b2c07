import Envelope
import Foundation
import Keys
import Testing

extension CommandLineTests {
    struct KeygenTests {
        @Test func `a device gets a private key, an identity and a bundle`() async throws {
            let folder = try Folder()
            let run = try await Self.makeDevice(in: folder)
            #expect(run.isDone && run.output.isEmpty, "\(run)")
            #expect(try folder.names == ["device"])
            #expect(try Self.names(folder, "device") == ["device.bundle", "device.key", "identity.pub"])
            #expect(try folder.mode("device/device.key") == 0o600)
            #expect(try folder.text("device/identity.pub").hasPrefix("sealedpush-identity"))
        }

        @Test func `a sender gets a private key and a public one`() async throws {
            let folder = try Folder()
            let run = try await Run.sealedpush("keygen", "sender", "--out", "sender", in: folder)
            #expect(run.isDone && run.output.isEmpty, "\(run)")
            #expect(try Self.names(folder, "sender") == ["sender.key", "sender.pub"])
            #expect(try folder.mode("sender/sender.key") == 0o600)
        }

        @Test func `a private key has mode 0600 whatever the umask`() async throws {
            let folder = try Folder()
            for (umask, name) in [("000", "open"), ("777", "closed")] {
                let line = "umask \(umask); exec \(Program.path) keygen sender --out ."
                _ = try folder.makeFolder(name)
                var invocation = Invocation.shell("cd \(name) && \(line)", in: folder)
                invocation.environment = ["HOME": folder.path]
                #expect(try await invocation.run().isDone)
                #expect(try folder.mode("\(name)/sender.key") & 0o177 == 0)
            }
        }

        @Test(arguments: ["device", "sender"])
        func `a private key that is there already is not touched`(_ kind: String) async throws {
            let folder = try Folder()
            let options = ["keygen", kind, "--out", "keys"] + (kind == "device" ? ["--topic", Workplace.topic] : [])
            #expect(try await Invocation(options, in: folder).run().isDone)
            let names = try Self.names(folder, "keys")
            let before = try names.map { try folder.bytes("keys/\($0)") }
            let again = try await Invocation(options, in: folder).run()
            #expect(again.isRefused("keys/\(kind).key exists already and was not changed"), "\(again)")
            #expect(try Self.names(folder, "keys") == names)
            #expect(try names.map { try folder.bytes("keys/\($0)") } == before)
        }

        @Test func `a private key behind a broken link is not overwritten either`() async throws {
            let folder = try Folder()
            _ = try folder.makeFolder("keys")
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("keys/sender.key"),
                withDestinationPath: "/media/unplugged/sender.key"
            )
            let run = try await Run.sealedpush("keygen", "sender", "--out", "keys", in: folder)
            #expect(run.isRefused("keys/sender.key"), "\(run)")
            #expect(try Self.names(folder, "keys") == ["sender.key"])
        }

        @Test func `two devices have nothing in common`() async throws {
            let folder = try Folder()
            #expect(try await Self.makeDevice(in: folder, "one").isDone)
            #expect(try await Self.makeDevice(in: folder, "two").isDone)
            let lines = try ["one", "two"].map { name in
                Set(try folder.text("\(name)/device.key").split(separator: "\n"))
            }
            #expect(lines[0].intersection(lines[1]) == ["sealedpush-device-key-1", "topic com.example.chat"])
        }

        @Test func `the bundle verifies against the identity, for this app and for 60 days`() async throws {
            let folder = try Folder()
            #expect(try await Self.makeDevice(in: folder).isDone)
            let identity = try IdentityKey(text: try folder.text("device/identity.pub"))
            let text = Array(try folder.bytes("device/device.bundle").dropLast())
            let bytes = try #require(Base64URL.decode(text))
            let topic = try BundleID(Workplace.topic)
            let bundle = try KeyBundle(verifying: bytes, pinnedIdentity: identity, topic: topic, now: .now)
            #expect(bundle.entries.count == 1)
            let later = Timestamp.now.advanced(by: .seconds(60 * 86_400 + 1))
            let failure = #expect(throws: KeyBundleError.self) {
                try KeyBundle(verifying: bytes, pinnedIdentity: identity, topic: topic, now: later)
            }
            guard case .expired = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }

        @Test func `keys that it makes seal and open`() async throws {
            let folder = try Folder()
            #expect(try await Self.makeDevice(in: folder).isDone)
            #expect(try await Run.sealedpush("keygen", "sender", "--out", "sender", in: folder).isDone)
            try folder.write("m.json", #"{"body":"Hello"}"#)
            let sealed = try await Run.sealedpush(
                "seal",
                "m.json",
                "--sender-key",
                "sender/sender.key",
                "--bundle",
                "device/device.bundle",
                "--identity",
                "device/identity.pub",
                "--topic",
                Workplace.topic,
                "--out",
                "push.json",
                in: folder
            )
            #expect(sealed.isDone, "\(sealed)")
            let opened = try await Run.sealedpush(
                "open",
                "push.json",
                "--device-key",
                "device/device.key",
                "--senders",
                "sender/sender.pub",
                in: folder
            )
            #expect(opened.isDone && opened.output == "Hello\n", "\(opened)")
        }

        @Test func `an example key carries its marker and loads only when asked for`() async throws {
            let folder = try Folder()
            #expect(try await Self.makeDevice(in: folder, "device", "--example").isDone)
            #expect(try folder.text("device/device.key").hasPrefix("# SealedPush example key"))
            let bundle = ["keygen", "bundle", "--device-key", "device/device.key", "--out", "b"]
            let refused = try await Invocation(bundle, in: folder).run()
            #expect(refused.isRefused("is a published example key"), "\(refused)")
            #expect(try await Invocation(bundle + Workplace.allow, in: folder).run().isDone)
        }

        @Test func `keys go into no folder that cannot be made`() async throws {
            let folder = try Folder()
            let run = try await Run.sealedpush("keygen", "sender", "--out", "no/such/folder", in: folder)
            #expect(run.isRefused("no/such/folder: No such file or directory"), "\(run)")
            #expect(try folder.names == [])
        }

        private static func makeDevice(
            in folder: Folder,
            _ name: String = "device",
            _ options: String...
        ) async throws -> Run {
            try await Invocation(
                ["keygen", "device", "--topic", Workplace.topic, "--out", name] + options,
                in: folder
            ).run()
        }

        private static func names(_ folder: Folder, _ name: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.file(name)).sorted()
        }
    }
}
