import CallKit
import Envelope
import ExtensionHarness
import Foundation
import IncomingCalls
import Keys
import NotificationCore
import Opening
import Platform
import Sealing
import TestSupport
import Testing

/// From a sealing caller, through the payload's bytes, to the screen of a phone that runs the class an app copies.
struct IncomingCallsTests {
    @Test func `a sealed call rings with the contact's name, and hands over what the caller said`() async throws {
        let callee = try Callee()
        let delivery = try await callee.phone.deliver(callee.payload())
        #expect(delivery.why == .reported && delivery.isCompleted, "\(delivery)")
        let call = try #require(delivery.call)
        #expect(call.name == "Ada" && call.state == .ringing)
        #expect(call.handle == NotificationContent.Sender.handle(of: callee.caller.publicKey))
        #expect(await callee.answered(call.id) == "room 7")
        #expect(await callee.answered(call.id) == nil)
    }

    @Test func `an app that is answered has what the caller said, and one that is declined has not`() async throws {
        let answered = Guarded<[String]>([])
        let callee = try Callee()
        let opener = callee.opener
        let phone = VoIPPhone { CallApp(opener: opener) { _, call in answered.withLock { $0.append(call) } } }
        let declined = try #require(try await phone.deliver(callee.payload(Callee.call("a"))).call)
        phone.hangUp(declined.id)
        let call = try #require(try await phone.deliver(callee.payload(Callee.call("b"))).call)
        phone.answer(call.id)
        await Kept.waitForMain()
        #expect(answered.withLock { $0 } == ["b"])
    }

    @Test func `a service says for whom it calls, and a person cannot`() async throws {
        var message = Callee.call("room 7")
        message.senderName = "Grace\u{202E} H."
        let service = try Callee(role: .service, name: "Acme")
        #expect(try await service.phone.deliver(service.payload(message)).call?.name == "Grace H.")
        let person = try Callee()
        #expect(try await person.phone.deliver(person.payload(message)).call?.name == "Ada")
    }

    @Test func `a caller without a name is the app's`() async throws {
        let callee = try Callee(name: nil)
        let call = try #require(try await callee.phone.deliver(callee.payload()).call)
        #expect(call.name == Callee.appName && call.state == .ringing)
        #expect(call.handle == NotificationContent.Sender.handle(of: callee.caller.publicKey))
    }

    // MARK: Calls that cannot be answered

    @Test func `a person without the right to call rings nowhere (protocol v1, rule 29)`() async throws {
        try await expectEnded(.failed, counted: .notPermitted, Callee(rights: [.links])) { try $0.payload() }
    }

    @Test func `a call of a stranger is ended`() async throws {
        try await expectEnded(.failed, counted: .unverifiedSender, Callee(isContact: false)) { try $0.payload() }
    }

    @Test func `a call that came too late is a missed one`() async throws {
        try await expectEnded(.unanswered, counted: .expired) {
            try $0.payload(sentAt: Timestamp.now.advanced(by: .seconds(-30)))
        }
    }

    @Test func `a call from the future is a missed one`() async throws {
        try await expectEnded(.unanswered, counted: .clockUntrusted) {
            try $0.payload(sentAt: Timestamp.now.advanced(by: .seconds(6 * 60)))
        }
    }

    @Test func `a call under a clock that is wrong is a missed one (protocol v1, rule 29)`() async throws {
        let callee = try Callee()
        callee.phone.conditions.date = Date(timeIntervalSince1970: 1_000_000_000)
        try await expectEnded(.unanswered, counted: .clockUntrusted, callee) { try $0.payload() }
    }

    @Test func `a call that a foreign sealer made for longer than a minute is ended (protocol v1, rule 29)`()
        async throws
    {
        let body = #"{"op":"call","call":"room 7"}"#
        try await expectEnded(.failed, counted: .malformed) {
            try $0.foreignPayload(body: body, lifetime: .milliseconds(60_001))
        }
        // The neighbouring value passes, so the sealer itself is right.
        let callee = try Callee()
        let payload = try callee.foreignPayload(body: body, lifetime: .milliseconds(60_000))
        #expect(try await callee.phone.deliver(payload).call?.state == .ringing)
    }

    @Test func `an alert that somebody delivers as a call is ended`() async throws {
        try await expectEnded(.failed, counted: .malformed) {
            try $0.caller.seal(Message(title: "Ada", body: "Hello"), for: $0.recipient(), sentAt: .now)
                .payload(placeholder: .example)
        }
    }

    @Test
    func `a message that is no call in a call's envelope is ended, under its sender's name and without a receipt`()
        async throws
    {
        let callee = try Callee()
        let body = #"{"body":"Hello","receipt":"AAECAwQFBgcICQoLDA0ODw"}"#
        let payload = try callee.foreignPayload(body: body, lifetime: .seconds(60))
        let delivery = try await callee.phone.deliver(payload)
        #expect(delivery.why == .reported && delivery.call?.state == .ended(.failed), "\(delivery)")
        #expect(delivery.call?.name == "Ada")
        #expect(try callee.container.receipts.all() == [])
    }

    @Test func `a call for another device is a missed one, and its prekey is marked for the app`() async throws {
        let other = try Callee()
        let callee = try Callee()
        try await expectEnded(.unanswered, counted: .unknownKey, callee) { _ in try other.payload() }
        #expect(try callee.container.resendMarkers.pendingResends().count == 1)
    }

    @Test(arguments: [Device.Lock.beforeFirstUnlock, .locked])
    func `a call that only the unlocked phone can open is a missed one`(_ lock: Device.Lock) async throws {
        let callee = try Callee()
        callee.phone.conditions.lock = lock
        // Before the first unlock the counts cannot be read either.
        try await expectEnded(.unanswered, counted: lock == .locked ? .locked : nil, callee) {
            try $0.payload(protectionClass: .unlocked)
        }
        callee.phone.conditions.lock = .unlocked
        #expect(try await callee.phone.deliver(callee.payload(protectionClass: .unlocked)).call?.state == .ringing)
    }

    @Test func `a newer version's call is a missed one`() async throws {
        try await expectEnded(.unanswered, counted: .unsupported) { callee in
            let payload = String(decoding: try callee.payload(), as: UTF8.self)
            // The first byte of the envelope, as base64url.
            return Array(payload.replacingOccurrences(of: #""sealed":"AQ"#, with: #""sealed":"Ag"#).utf8)
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"aps":{}}"#, #"{"aps":{},"sealed":7}"#, #"{"aps":{},"sealed":null}"#, #"{"aps":{},"sealed":""}"#,
        #"{"aps":{},"sealed":"x","trace":["y"]}"#, #"{"aps":7,"sealed":{"a":[1e300]}}"#, #"{"webpush":"AAAA"}"#,
        #"{"sealed":"AAAA","webpush":"AAAA"}"#,
    ])
    func `whatever else comes, a call is reported and ended`(_ payload: String) async throws {
        let callee = try Callee()
        let delivery = try await callee.phone.deliver(payload)
        #expect(delivery.why == .reported && delivery.isCompleted, "\(delivery)")
        #expect(delivery.call?.state == .ended(.failed) && delivery.call?.name == Callee.appName)
        #expect(callee.phone.calls == [])
    }

    @Test func `a call that was changed on the way is ended, whichever byte it is`() async throws {
        let callee = try Callee()
        let payload = try callee.payload()
        let field = try #require(payload.firstRange(of: Array(#""sealed":""#.utf8))).upperBound
        for offset in stride(from: 14, to: 4_864, by: 485) {
            var changed = payload
            changed[field + offset] =
                changed[field + offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(try await callee.phone.deliver(changed).call?.state == .ended(.failed))
        }
    }

    @Test func `without a replay window no call is new`() async throws {
        let callee = try Callee()
        let payload = try callee.payload()
        try FileManager.default.removeItem(atPath: callee.folder.path("group/replay-window-1"))
        let delivery = try await callee.phone.deliver(payload)
        #expect(delivery.call?.state == .ended(.unanswered) && delivery.call?.name == Callee.appName)
    }

    @Test func `without a container a call is reported and ended`() async throws {
        let callee = try Callee()
        let payload = try callee.payload()
        try FileManager.default.removeItem(atPath: callee.folder.path("group"))
        #expect(try await callee.phone.deliver(payload).call?.state == .ended(.unanswered))
    }

    // MARK: Twice

    @Test func `a call that comes again while it rings goes on ringing (protocol v1, rule 29)`() async throws {
        let callee = try Callee()
        let payload = try callee.payload()
        let first = try #require(try await callee.phone.deliver(payload).call)
        let again = try await callee.phone.deliver(payload)
        #expect(again.why == .reported && again.isCompleted, "\(again)")
        #expect(again.call?.id == first.id && again.call?.state == .refused(.callUUIDAlreadyExists))
        #expect(callee.phone.calls == [first])
        #expect(await callee.answered(first.id) == "room 7")
    }

    @Test func `a call that comes again when it is over does not ring again`() async throws {
        let callee = try Callee()
        let payload = try callee.payload()
        let first = try #require(try await callee.phone.deliver(payload).call)
        callee.phone.hangUp(first.id)
        let again = try await callee.phone.deliver(payload)
        #expect(again.call?.id == first.id && again.call?.state == .ended(.failed))
        #expect(callee.phone.calls == [])
    }

    @Test func `a call that is sealed anew is the same call`() async throws {
        let callee = try Callee()
        let prepared = try PreparedCall()
        let first = try #require(try await callee.phone.deliver(prepared.payload(callee)).call)
        let again = try #require(try await callee.phone.deliver(prepared.payload(callee)).call)
        #expect(again.id == first.id && callee.phone.calls == [first])
    }

    @Test func `two calls are two, also of one caller`() async throws {
        let callee = try Callee()
        _ = try await callee.phone.deliver(callee.payload(Callee.call("a")))
        _ = try await callee.phone.deliver(callee.payload(Callee.call("b")))
        #expect(callee.phone.calls.map(\.state) == [.ringing, .ringing])
        var texts: Set<String?> = []
        for call in callee.phone.calls { texts.insert(await callee.answered(call.id)) }
        #expect(texts == ["a", "b"])
    }

    // MARK: Receipts

    @Test func `the receipt of a call that rings is kept for the app, once, and of no other`() async throws {
        let capability = try #require(ReceiptCapability(rawRepresentation: Array(0..<16)))
        var message = Callee.call("room 7")
        message.receipt = capability
        let callee = try Callee()
        let payload = try callee.payload(message)
        for _ in 0..<2 { _ = try await callee.phone.deliver(payload) }
        #expect(try callee.container.receipts.all() == [DeliveryReceipt(capability: capability)])

        let silent = try Callee(keepsReceipts: false)
        _ = try await silent.phone.deliver(silent.payload(message))
        #expect(try silent.container.receipts.all() == [])
        let late = try Callee()
        _ = try await late.phone.deliver(late.payload(message, sentAt: Timestamp.now.advanced(by: .seconds(-60))))
        #expect(try late.container.receipts.all() == [])
    }

    private func expectEnded(
        _ reason: CXCallEndedReason,
        counted kind: OutcomeKind?,
        _ callee: Callee? = nil,
        _ location: SourceLocation = #_sourceLocation,
        payload: (Callee) throws -> [UInt8]
    ) async throws {
        let callee = try callee ?? Callee()
        let delivery = try await callee.phone.deliver(payload(callee))
        #expect(delivery.why == .reported && delivery.isCompleted, "\(delivery)", sourceLocation: location)
        #expect(delivery.call?.state == .ended(reason), sourceLocation: location)
        #expect(delivery.call?.name == Callee.appName, sourceLocation: location)
        #expect(callee.phone.calls == [], sourceLocation: location)
        guard let kind else { return }
        #expect(try callee.device.outcomeCounts()[kind] == 1, "\(kind)", sourceLocation: location)
    }
}
