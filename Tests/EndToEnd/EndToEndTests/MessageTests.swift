import AttachmentUpload
import EndToEndStage
import Envelope
import Foundation
import Keys
import NotificationCore
import Opening
import RelayClient
import Sealing
import Testing

@testable import UploadingBackEnd

/// A message through all of its stations: sealed as a back end seals, `sealedpushd`, `sealedpush simulate`, the phone
/// with its extension, and the receipt on its way back.
@Suite struct MessageTests {
    private func message(_ body: String, receipt: ReceiptCapability? = .random()) -> Message {
        var message = Message(title: "Ada", body: body)
        message.receipt = receipt
        return message
    }

    @Test func `a message is shown, its receipt makes it delivered, and the tenant is told`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            let id = try await own.server.send(message("See you at eight"))
            let shown = try await own.nextShown()
            #expect(shown["title"]?.text == "Ada" && shown["body"]?.text == "See you at eight", "\(shown)")
            let state = try await stage.state("delivered", of: id)
            #expect(state["receipt"]?.text != nil && state["attempt-count"]?.number == 1)
            #expect(try await stage.hooks.next("delivered")["apns-id"]?.text == id)
        }
    }

    @Test func `a picture goes sealed through a host of attachments, and is shown with its message`() async throws {
        try await Stage.with { stage in
            let files = try await stage.startFiles()
            let own = try await ChatPhone.ready(on: stage, files: files.port)
            let picture = try stage.copyOfPicture()
            let host = try #require(BlobHost(url: "https://localhost:\(files.port)", token: files.token))
            let type = try #require(MediaType("image/png"))
            let one = try await attachment(picture, type: type, at: host, trust: .file(path: stage.authorities))
            // Phones know the host by its public name.
            let url = try #require(AttachmentURL("https://files.example.com" + one.url.path))
            var message = message("Look!")
            message.attachments = [
                try AttachmentPointer(id: one.id, url: url, key: one.key, byteCount: one.byteCount, type: type)
            ]
            try await own.server.send(message)
            let shown = try await own.nextShown()
            #expect(shown["body"]?.text == "Look!")
            #expect(shown["attachments"]?.elements.compactMap(\.text) == ["public.png"], "\(shown)")
        }
    }

    @Test func `a message that asks for no receipt is accepted and no more`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            let silent = try await own.server.send(message("quietly", receipt: nil))
            _ = try await own.nextShown()
            // The next one's receipt comes after it, and would have brought the other along.
            let loud = try await own.server.send(message("loudly"))
            _ = try await own.nextShown()
            _ = try await stage.state("delivered", of: loud)
            #expect(try await stage.state("accepted", of: silent)["receipt"] == nil)
        }
    }

    @Test func `a message can be replaced and removed, and a badge set`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            // The sender is a service: only that may set the badge.
            let key = own.server.senderKey
            let device = try await own.launch().device
            var contacts = ContactList()
            try contacts.add(Contact(key: key, role: .service, name: "Acme"))
            try device.setContacts(contacts)
            try device.setBadge(0)

            let first = try PreparedMessage(message("first"), sentAt: .now)
            _ = try await own.server.post(first)
            #expect(try await own.nextShown()["badge"]?.number == 1)
            var second = message("second")
            second.operation = .replace(first.messageID)
            second.badge = 7
            try await own.server.send(second)
            let replaced = try await own.nextShown()
            #expect(replaced["body"]?.text == "second" && replaced["badge"]?.number == 7)
            #expect(replaced["screen"]?.elements.compactMap(\.text) == ["second"])
            var gone = message("")
            gone.title = ""
            gone.operation = .remove(first.messageID)
            try await own.server.send(gone)
            let removed = try await own.nextShown()
            // Without Apple's entitlement the removal itself is a notification, with the app's words.
            let listed = removed["screen"]?.elements.compactMap(\.text)
            #expect(listed == ["Your conversations are up to date"], "\(removed)")
        }
    }

    @Test func `what came while the phone was locked is opened by its app, and its receipt follows`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            own.phone.switchOff()
            // Its extension cannot reach the relay: it would send the app's receipt, too.
            try await own.phone.switchOn(isLocked: true, reachesRelay: false)
            let id = try await own.server.send(message("while you slept"))
            #expect(try await own.nextShown()["body"]?.text == "Unlock to read a new message")
            _ = try await stage.state("accepted", of: id)
            #expect(try await own.launch().shown == ["while you slept"])
            _ = try await stage.state("delivered", of: id)
            #expect(try await own.launch().shown == [])
        }
    }

    @Test func `a message for a prekey that is gone is asked for, sealed anew and shown`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            let prepared = try PreparedMessage(message("lost and found"), sentAt: .now)
            let old = try await own.server.recipient()
            // A restore took the replay window: every prekey is destroyed, and a new bundle registered.
            own.phone.switchOff()
            try FileManager.default.removeItem(atPath: own.phone.groupFolder + "/replay-window-1")
            _ = try await own.launch()
            try await own.phone.switchOn()

            let lost = try await own.server.post(prepared, to: old)
            #expect(try await own.nextShown()["body"]?.text == "You have a new message")
            let wanted = try await stage.hooks.next("resend-requested")
            #expect(wanted["apns-id"]?.text == lost && wanted["prekey-id"]?.text?.utf8.count == 11, "\(wanted)")
            _ = try await own.server.post(prepared)
            #expect(try await own.nextShown()["body"]?.text == "lost and found")
            // Both copies are one message: it is shown once.
            _ = try await own.server.post(prepared)
            #expect(try await own.nextShown()["body"]?.text != "lost and found")
        }
    }

    @Test func `what is under way while keys rotate is shown, and what is sealed afterwards too`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            own.phone.switchOff()
            let old = try await own.server.recipient()
            try await own.server.send(message("before"), to: old, collapseID: nil)
            let device = try await own.launch().device
            try device.rotate()
            _ = try await own.launch()
            let new = try await own.server.recipient()
            #expect(new.notAfter >= old.notAfter && new.identity == old.identity)
            try await own.phone.switchOn()
            #expect(try await own.nextShown()["body"]?.text == "before")
            try await own.server.send(message("after"), to: new)
            #expect(try await own.nextShown()["body"]?.text == "after")
            try await own.server.send(message("late, to the old key"), to: old)
            #expect(try await own.nextShown()["body"]?.text == "late, to the old key")
        }
    }

    @Test func `an app that starts sends what the extension could not`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage)
            // The phone cannot reach the relay while it shows the message.
            own.phone.switchOff()
            try await own.phone.switchOn(reachesRelay: false)
            let id = try await own.server.send(message("in a tunnel"))
            #expect(try await own.nextShown()["body"]?.text == "in a tunnel")
            #expect(try await stage.state("accepted", of: id)["receipt"] == nil)
            own.phone.switchOff()
            try await own.phone.switchOn()
            _ = try await stage.state("delivered", of: id)
        }
    }

    @Test func `a silent push wakes the app, which sends what the extension did not`() async throws {
        var options = Stage.Options()
        options.allowsClearText = true
        try await Stage.with(options) { stage in
            // This extension keeps receipts and has no relay. Its app runs once more for the silent push, and not
            // before.
            let own = try await ChatPhone.ready(on: stage, extension: "EndToEndExtension")
            let id = try await own.server.send(message("for the app to send"))
            #expect(try await own.nextShown()["body"]?.text == "for the app to send")
            #expect(try await stage.state("accepted", of: id)["receipt"] == nil)
            let silent = """
                {"topic": "\(Stage.topic)", "devices": ["phone"], "notification": {"apns": {"contentAvailable": true}}}
                """
            #expect(try await stage.ask("POST", "/v1/compat/sap", Array(silent.utf8)).status == 202)
            _ = try await own.phone.events.next("woken")
            _ = try await stage.state("delivered", of: id)
            #expect(try own.phone.events.unseen("shown").isEmpty)
        }
    }

    @Test func `a server that nobody here knows pushes to the endpoint that the phone gave it, until it is revoked`()
        async throws
    {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage, extension: "EndToEndExtension")
            let (device, key) = (try await own.launch().device, EndpointKey())
            let hash = Array(#"{"hash":"\#(key.hash)"}"#.utf8)
            #expect(try await stage.ask("PUT", "/v1/devices/phone/endpoint-key", hash).status == 204)
            let relay = try RelayClient("https://push.example.com")
            let chat = try await own.phone.app { try await relay.subscribe(device, to: "social.example", with: key) }
            let news = try await own.phone.app { try await relay.subscribe(device, to: "news.example", with: key) }
            #expect(Set(try await own.phone.app { try await relay.endpointIDs(key) }) == [chat.id, news.id])
            #expect(chat.keys.p256dh != news.keys.p256dh && chat.keys.auth != news.keys.auth)
            func push(_ text: String, _ keys: WebPushSubscription, to endpoint: String) async throws -> Int {
                let record = try WebPushServer.record(text, p256dh: keys.p256dh, auth: keys.auth)
                return try await stage.push(record, to: endpoint)
            }
            let text = #"{"title":"Mastodon","body":"Grace mentioned you"}"#
            for subscription in [chat, news] {
                #expect(try await push(text, subscription.keys, to: subscription.endpoint) == 201)
                let shown = try await own.nextShown()
                #expect(shown["title"]?.text == "Mastodon" && shown["body"]?.text == "Grace mentioned you", "\(shown)")
                #expect(shown["subtitle"]?.text == (subscription.id == chat.id ? "social.example" : "news.example"))
            }
            // One server's keys open nothing at the other's endpoint.
            #expect(try await push(text, news.keys, to: chat.endpoint) == 201)
            #expect(try await own.nextShown()["body"]?.text != "Grace mentioned you")
            try await own.phone.app { try await relay.unsubscribe(device, from: chat.id, with: key) }
            #expect(try await push("after the end", chat.keys, to: chat.endpoint) == 410)
            #expect(try device.webPushServers() == [news.id: "news.example"])
            await #expect(throws: SubscriptionError.relay(.refused(status: 401))) {
                try await own.phone.app { try await relay.subscribe(device, to: "x", with: EndpointKey()) }
            }
        }
    }

    @Test func `an app registers its phone itself where it may, and a server reaches it`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage, extension: "EndToEndExtension")
            let (device, key) = (try await own.launch().device, EndpointKey())
            let registration = try DeviceRegistration(of: device, token: own.phone.token, environment: .sandbox)
            let relay = try RelayClient("https://push.example.com")
            let answer = try await own.phone.app { try await relay.enrol(registration, key) }
            try device.acknowledged(registration, answer: answer)
            #expect(try await own.phone.app { try await relay.enrol(registration, key) } == answer)
            let server = try await own.phone.app { try await relay.subscribe(device, to: "matrix.example", with: key) }
            let text = #"{"title":"Matrix","body":"Ada wrote"}"#
            let record = try WebPushServer.record(text, p256dh: server.keys.p256dh, auth: server.keys.auth)
            #expect(try await stage.push(record, to: server.endpoint) == 201)
            let shown = try await own.nextShown()
            #expect(shown["title"]?.text == "Matrix" && shown["body"]?.text == "Ada wrote", "\(shown)")
            // The rule is `open`: a proof of another rule is refused.
            await #expect(throws: RelayClientError.refused(status: 403)) {
                try await own.phone.app { try await relay.enrol(registration, key, proof: .ticket("a.b.c")) }
            }
            _ = try await own.phone.app { try await relay.enrolmentChallenge(key) }
        }
    }

    @Test func `a Web Push record is shown on the phone`() async throws {
        try await Stage.with { stage in
            let own = try await ChatPhone.ready(on: stage, extension: "EndToEndExtension")
            let subscription = try await own.launch().device.enableWebPush()
            let text = #"{"title":"Mastodon","body":"Grace mentioned you"}"#
            let record = try WebPushServer.record(text, p256dh: subscription.p256dh, auth: subscription.auth)
            let id = try await own.server.post(webPush: record)
            let shown = try await own.nextShown()
            #expect(shown["title"]?.text == "Mastodon" && shown["body"]?.text == "Grace mentioned you", "\(shown)")
            _ = try await stage.state("accepted", of: id)
        }
    }
}
