import EndToEndStage
import Envelope
import Keys
import NotificationCore
import Sealing
import Testing

/// A notification's fate when a station fails, goes or lies.
@Suite struct DeliveryTests {
    private func message(_ body: String) -> Message {
        var message = Message(title: "Ada", body: body)
        message.receipt = .random()
        return message
    }

    @Test func `a receipt in time keeps the fallback back`() async throws {
        var options = Stage.Options()
        options.fallbackSeconds = 6
        try await Stage.with(options) { stage in
            let own = try await ChatPhone.ready(on: stage)
            let shown = try await own.server.send(message("call me"), class: "urgent")
            _ = try await own.nextShown()
            _ = try await stage.state("delivered", of: shown)
            // Another one, which is not shown, has its fallback later: by then the first one's would have come.
            own.phone.switchOff()
            let missed = try await own.server.send(message("call me, please"), class: "urgent")
            #expect(try await stage.hooks.next("no-receipt")["apns-id"]?.text == missed)
            #expect(stage.hooks.unseen("no-receipt").isEmpty)
        }
    }

    @Test func `without a receipt there is one fallback, also when the receipt comes later`() async throws {
        var options = Stage.Options()
        options.fallbackSeconds = 5
        try await Stage.with(options) { stage in
            let own = try await ChatPhone.ready(on: stage)
            own.phone.switchOff()
            let id = try await own.server.send(message("too late"), class: "urgent")
            let fallback = try await stage.hooks.next("no-receipt")
            #expect(fallback["apns-id"]?.text == id && fallback["text"]?.text == "Open the app", "\(fallback)")
            try await own.phone.switchOn()
            #expect(try await own.nextShown()["body"]?.text == "too late")
            _ = try await stage.state("delivered", of: id)
            _ = try await stage.hooks.next("delivered")
            #expect(stage.hooks.unseen("no-receipt").isEmpty)
        }
    }

    @Test func `a relay that is killed loses nothing, and a receipt waits for it`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            own.phone.switchOff()
            let id = try await own.server.send(message("through a crash"))
            _ = try await stage.state("accepted", of: id)
            stage.killRelay()
            // The simulator has it; the receipt, which the extension sends up to 2 s after showing, finds no relay.
            try await own.phone.switchOn()
            #expect(try await own.nextShown()["body"]?.text == "through a crash")
            own.phone.switchOff()
            try await stage.startRelay()
            #expect(try await stage.state("accepted", of: id)["receipt"] == nil)
            try await own.phone.switchOn()
            _ = try await stage.state("delivered", of: id)
        }
    }

    @Test func `a relay that is killed with its queue full sends everything afterwards, each shown once`() async throws
    {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            let recipient = try await own.server.recipient()
            var ids: [String] = []
            for number in 0..<12 {
                ids.append(try await own.server.send(message("number \(number)"), to: recipient))
                if number == 5 {
                    stage.killRelay()
                    try await stage.startRelay()
                }
            }
            var bodies: [String] = []
            while Set(bodies).count < 12 {
                let body = try await own.nextShown()["body"]?.text ?? ""
                if body.hasPrefix("number") { bodies.append(body) }
            }
            #expect(bodies.count == 12, "\(bodies)")
            for id in ids { _ = try await stage.state("delivered", of: id) }
        }
    }

    @Test func `after its app is removed nothing is sent to a device any more`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            // Apple's answer names a time, and a registration after it stays.
            try await stage.control("/v1/clock", #"{"by": 1800}"#)
            try await stage.control("/v1/devices/1/state", #"{"state": "app-removed"}"#)
            let id = try await own.server.send(message("anybody there?"))
            let end = try await stage.hooks.next("dead")
            #expect(end["apns-id"]?.text == id && end["apns-reason"]?.text == "Unregistered", "\(end)")
            // The relay quarantines the device by the time the tenant learns of it, or a moment later.
            while let answer = try? await stage.ask("GET", "/v1/devices/phone"), answer.status == 200,
                try answer.json()["quarantine"] == nil
            {
                try await Task.sleep(for: .milliseconds(20))
            }
            await #expect(throws: Surprise.self) { try await own.server.send(message("nobody there")) }
        }
    }

    @Test func `a relay that hands out an older bundle is found out by the sender`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            let old = try await stage.ask("GET", "/v1/devices/phone/bundle").json()["bundle"]?.text ?? ""
            _ = try await own.server.recipient()
            try await own.launch().device.rotate()
            _ = try await own.launch()
            let new = try await own.server.recipient()
            try await replaceBundle(with: old, of: own, on: stage)
            await #expect { try await own.server.recipient() } throws: { error in
                guard case .bundle(.rolledBack)? = error as? RecipientError else { return false }
                return true
            }
            // The pin still holds.
            try await own.server.send(message("all the same"), to: new)
            #expect(try await own.nextShown()["body"]?.text == "all the same")
        }
    }

    @Test func `a relay that hands out another device's bundle is found out by the sender`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            let other = ChatPhone(phone: Phone("other", on: stage), server: ChatServer(on: stage, device: "other"))
            try await other.phone.switchOn()
            _ = try await other.launch()
            let bundle = try await stage.ask("GET", "/v1/devices/other/bundle").json()["bundle"]?.text ?? ""
            try await replaceBundle(with: bundle, of: own, on: stage)
            await #expect(throws: RecipientError.bundle(.otherIdentity)) { try await own.server.recipient() }
        }
    }

    /// Replaces the bundle, as a relay does that has turned against its senders.
    private func replaceBundle(with bundle: String, of own: ChatPhone, on stage: Stage) async throws {
        let token = try own.phone.token.map { byte in
            String(repeating: "0", count: byte < 16 ? 1 : 0) + String(byte, radix: 16)
        }
        let body = """
            {"token": "\(token.joined())", "topic": "\(Stage.topic)", "environment": "sandbox", "bundle": "\(bundle)"}
            """
        #expect(try await stage.ask("PUT", "/v1/devices/phone", Array(body.utf8)).status == 200)
    }
}
