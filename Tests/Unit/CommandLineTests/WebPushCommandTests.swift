import Envelope
import Foundation
import Keys
import Primitives
import Testing
import WebPush

extension CommandLineTests {
    /// Messages in the format of RFC 8291, without a device (protocol v1, rule 38).
    struct WebPushCommandTests {
        /// RFC 8291 section 5 and appendix A: the receiver's keys, and the message.
        private static let keys = """
            sealedpush-web-push-key-1
            private q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94
            auth BTBZMqHH6r4Tts7J_aSIgg

            """
        private static let record =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6"
            + "PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        private static let text = "When I grow up, I want to be a watermelon"

        private static let open = ["open", "push.json", "--web-push-key", "subscription.key"]

        private static func folder(_ members: String) throws -> Folder {
            let folder = try Folder()
            try folder.write("subscription.key", keys)
            try folder.write("push.json", #"{"aps":{"alert":"New","mutable-content":1},\#(members)}"#)
            return folder
        }

        @Test func `open shows the RFC's example, and calls it unauthenticated (protocol v1, rule 38)`() async throws {
            let folder = try Self.folder(#""webpush":"\#(Self.record)""#)
            let plain = try await Invocation(Self.open, in: folder).run()
            #expect(plain.isDone && plain.output == Self.text + "\n", "\(plain)")
            let run = try await Invocation(Self.open + ["--json"], in: folder).run()
            #expect(run.isDone, "\(run)")
            let object = try JSONLine(run.output)
            #expect(try object.text("outcome") == "unauthenticated")
            #expect(try object.text("title") == "")
            #expect(try object.text("body") == Self.text)
        }

        @Test(arguments: [
            ("another character", String(record.dropLast(2)) + "gN", "changed on the way"),
            ("a shorter record", String(record.dropLast(4)), "changed on the way"),
            ("a header alone", String(record.prefix(100)), "not base64url of one aes128gcm record"),
            ("padding", record + "=", "not base64url of one aes128gcm record"),
            ("nothing", "", "not base64url of one aes128gcm record"),
        ])
        func `a damaged record does not open`(_ name: String, _ field: String, _ words: String) async throws {
            let folder = try Self.folder(#""webpush":"\#(field)""#)
            let run = try await Invocation(Self.open, in: folder).run()
            #expect(run.isRefused("push.json: ", words), "\(name): \(run)")
        }

        @Test(arguments: [
            (#""sealed":"AQ","webpush":"\#(record)""#, "not sealed for this device by a trusted sender"),
            (#""sealed":"AQ""#, "has no \"webpush\" field"), (#""webpush":7"#, "is not a string"),
        ])
        func `what is no Web Push message says so (protocol v1, rule 38)`(_ members: String, _ words: String)
            async throws
        {
            let run = try await Invocation(Self.open, in: try Self.folder(members)).run()
            #expect(run.isRefused("push.json: ", words), "\(run)")
        }

        @Test func `a device's keys open no Web Push message (protocol v1, rule 38)`() async throws {
            let place = try await Workplace()
            try place.folder.write("push.json", #"{"aps":{},"webpush":"\#(Self.record)"}"#)
            let opened = try await place.open("push.json")
            #expect(opened.isRefused("push.json: ", "--web-push-key"), "\(opened)")
            let key = Program.keys + "/device.key"
            let wrong = try await place.run(["open", "push.json", "--web-push-key", key] + Workplace.allow)
            #expect(wrong.isRefused("device.key does not hold 'sealedpush-web-push-key-1'"), "\(wrong)")
        }

        @Test func `keygen makes a subscription for its owner only, and prints what a server needs`() async throws {
            let folder = try Folder()
            let make = ["keygen", "web-push", "--out", "my.key"]
            let run = try await Invocation(make, in: folder).run()
            #expect(run.isDone, "\(run)")
            #expect(try folder.mode("my.key") == 0o600)
            let keys = try WebPushKeys(keyFile: folder.file("my.key"), exampleKeys: .refused)
            let auth = keys.withAuthenticationSecret { Base64URL.string([UInt8](copying: $0)) }
            let p256dh = Base64URL.string(keys.publicKey.x963Representation)
            #expect(run.output == "p256dh \(p256dh)\nauth \(auth)\n")
            #expect(auth.utf8.count == 22 && p256dh.utf8.count == 87)

            let before = try folder.bytes("my.key")
            let again = try await Invocation(make, in: folder).run()
            #expect(again.isRefused("my.key exists already and was not changed"), "\(again)")
            #expect(try folder.bytes("my.key") == before)
        }

        @Test func `an example subscription loads only when asked for`() async throws {
            let folder = try Self.folder(#""webpush":"\#(Self.record)""#)
            let make = ["keygen", "web-push", "--out", "example.key", "--example"]
            #expect(try await Invocation(make, in: folder).run().isDone)
            let open = ["open", "push.json", "--web-push-key", "example.key"]
            let refused = try await Invocation(open, in: folder).run()
            #expect(refused.isRefused("is a published example key"), "\(refused)")
            let other = try await Invocation(open + Workplace.allow, in: folder).run()
            #expect(other.isRefused("encrypted for another subscription"), "\(other)")
        }
    }
}
