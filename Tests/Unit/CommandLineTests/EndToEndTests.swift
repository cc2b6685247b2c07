import Envelope
import Testing

extension CommandLineTests {
    /// Simulator, device, sender and provider: four processes, one message.
    struct EndToEndTests {
        @Test func `the device shows what the sender wrote`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json", "--count", "1")
            let push = try await site.place.push(
                #"{"title":"Ada","subtitle":"Engine","body":"Nine? 🕘","thread-id":"t"}"#
            )
            let sent = try await site.send(push)
            #expect(sent.isDone && sent.output.hasPrefix("accepted by APNs for delivery, apns-id "), "\(sent)")

            let shown = try await device.event("shown")
            #expect(try shown.text("title") == "Ada")
            #expect(try shown.text("subtitle") == "Engine")
            #expect(try shown.text("body") == "Nine? 🕘")
            #expect(try shown.text("thread-id") == "t")
            #expect(try shown.text("why") == "the extension answered")
            let id = try shown.text("apns-id")
            #expect(sent.output.hasSuffix("\(id)\n"))
            #expect(try await device.end().isDone)
        }

        @Test func `the simulator saw the payload byte for byte, and no message`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice()
            let push = try await site.place.push(#"{"title":"Canary!","body":"Canary!"}"#)
            #expect(try await site.send(push).isDone)
            let accepted = try await site.simulator.event("accepted")
            let payload = try #require(Base64URL.decode(Array(try accepted.text("payload").utf8)))
            #expect(try payload == site.place.folder.bytes(push))
            // The exclamation mark occurs in no base64url.
            #expect(!String(decoding: payload, as: UTF8.self).contains("Canary!"))
            device.stop()
        }

        @Test func `a token from the command line does as well as one from a file`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json")
            let token = try site.place.folder.text("token").filter { !$0.isNewline }
            #expect(try await site.send(try await site.place.push(), ["--to": token]).isDone)
            #expect(try await device.event("shown").text("body") == "Hello")
        }

        @Test func `a payload from standard input is sent as it was checked`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json")
            let push = try site.place.folder.bytes(try await site.place.push())
            var send = site.place.invocation(
                ["send", "-", "--to-file", "token"] + Site.sender(port: site.pushPort) + Workplace.allow
            )
            send.input = .pipe(push)
            let sent = try await send.run()
            #expect(sent.isDone, "\(sent)")
            #expect(try await device.event("shown").text("body") == "Hello")
        }

        @Test func `the token and the bundle of a device can be used by others`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json", "--bundle-out", "device.bundle")
            #expect(try site.place.folder.mode("token") == 0o600)
            #expect(try await site.send(try await site.place.push()).isDone)
            #expect(try await device.event("shown").text("title") == "Ada")
        }

        @Test func `send --json says what APNs answered`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice()
            let sent = try await site.send(try await site.place.push(), flags: "--json")
            #expect(sent.isDone, "\(sent)")
            #expect(try JSONLine(sent.output).integer("status") == 200)
            device.stop()
        }

        @Test func `a push without mutable-content is shown as it came, and the device says why`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json")
            try site.place.folder.write("push.json", #"{"aps":{"alert":{"title":"T","body":"B"}}}"#)
            #expect(try await site.send("push.json", flags: "--allow-clear").isDone)
            let shown = try await device.event("shown")
            #expect(try shown.text("title") == "T")
            #expect(try shown.text("why") == "no mutable-content: iOS does not run the extension")
        }

        @Test func `a sealed field that was changed on the way shows the app's own words`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json")
            let push = try site.place.folder.text(try await site.place.push())
            try site.place.folder.write("push.json", Damage.all[0].apply(push))
            #expect(try await site.send("push.json").isDone)
            let shown = try await device.event("shown")
            #expect(try shown.text("title") == "Acme Chat")
            #expect(try shown.text("body") == "You have a new message")
        }

        @Test func `a push without a sealed field shows the app's own words, not the sender's`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json")
            try site.place.folder.write("push.json", #"{"aps":{"alert":"Click here","mutable-content":1}}"#)
            #expect(try await site.send("push.json", flags: "--allow-clear").isDone)
            #expect(try await device.event("shown").text("body") == "You have a new message")
        }

        @Test func `a payload without aps is not shown, and the device goes on`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json")
            try site.place.folder.write("push.json", #"{"sealed":1}"#)
            let refused = try await site.send("push.json", flags: "--allow-clear")
            try #require(refused.end == .exit(0), "\(refused)")
            #expect(try await device.event("not-shown").text("why") == "without an aps dictionary")
            #expect(try await site.send(try await site.place.push()).isDone)
            #expect(try await device.event("shown").text("body") == "Hello")
        }
    }
}
