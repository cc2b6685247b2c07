import Envelope
import Keys
import Opening
import TestSupport
import Testing

@testable import NotificationCore

/// The second format in the extension: other field, other keys, off by default (protocol v1, rule 38).
struct WebPushPipelineTests {
    private static let trace = String(repeating: "A", count: 22)

    private let handset: Handset
    private let device: AppDevice
    private let subscription: WebPushSubscription

    init() throws {
        handset = try Handset(seed: 9_170)
        device = try handset.launch()
        subscription = try device.enableWebPush(random: &handset.random)
    }

    private func push(_ text: String, seed: UInt64 = 1) throws -> [AnyHashable: Any] {
        let record = try WebPushServer(subscription).record(of: Array(text.utf8), seed: seed)
        return ["webpush": Base64URL.string(record), "trace": Self.trace]
    }

    private func show(_ push: [AnyHashable: Any]) -> NotificationContent {
        let pipeline = handset.pipeline(opensWebPush: true)
        let content = pipeline.content(userInfo: push, now: handset.now)
        pipeline.didShow(content)
        return content
    }

    @Test func `Web Push is off by default, whatever keys there are (protocol v1, rule 38)`() throws {
        let content = handset.show(try push("Hello"))
        #expect(content.outcome == .notSealed)
        #expect(content.isAppsOwn)
    }

    @Test func `without keys there is no Web Push, whatever the extension says (protocol v1, rule 38)`() throws {
        let push = try push("Hello")
        try device.disableWebPush()
        let content = show(push)
        #expect(content.outcome == .notSealed)
        #expect(content.isAppsOwn)
    }

    @Test func `turned on, a message shows title and text and is unauthenticated (protocol v1, rule 38)`() throws {
        let content = show(try push(#"{"title":"News","body":"Hello","sound":"x","url":"https://evil.example"}"#))
        guard case .unauthenticated = content.outcome else {
            Issue.record("\(content.outcome)")
            return
        }
        #expect(content.title == "News")
        #expect(content.body == "Hello")
        #expect(content.trace == Self.trace)
        #expect(content.subtitle.isEmpty && content.threadID.isEmpty)
        // Strangers' text is cleaned for display too.
        #expect(show(try push("a\u{202E}b", seed: 2)).body == "ab")
        #expect(show(try push("\u{200B}", seed: 3)).isAppsOwn)
    }

    @Test func `a record that was shown is a replay, also with another record size (protocol v1, rule 38)`() throws {
        let record = try WebPushServer(subscription).record(of: Array("Once".utf8), seed: 4)
        let push: [AnyHashable: Any] = ["webpush": Base64URL.string(record)]
        #expect(show(push).body == "Once")
        #expect(show(push).outcome == .replay)
        var resized = record
        resized.replaceSubrange(16..<20, with: [0, 0, 0x0F, 0])
        #expect(show(["webpush": Base64URL.string(resized)]).outcome == .replay)
        #expect(show(try self.push("Once", seed: 5)).body == "Once")
    }

    @Test func `without its window a record does not count as new (protocol v1, rule 26, rule 38)`() throws {
        let good = try handset.window
        try handset.putWindow(good.dropLast())
        let push = try push("Hello")
        #expect(show(push).outcome == .storeUnavailable)
        try handset.putWindow(good)
        #expect(show(push).body == "Hello")
    }

    @Test(arguments: [true, false])
    func `both formats in one push are malformed, and neither is opened (protocol v1, rule 38)`(_ isOn: Bool) throws {
        var push = try push("Hello")
        push["sealed"] = try handset.push(Message(body: "Sealed"), to: device)["sealed"]
        let pipeline = handset.pipeline(opensWebPush: isOn)
        let content = pipeline.content(userInfo: push, now: handset.now)
        #expect(content.outcome == .malformed)
        #expect(content.isAppsOwn)
        // Neither was claimed.
        #expect(handset.show(["sealed": push["sealed"] ?? ""]).body == "Sealed")
        #expect(show(["webpush": push["webpush"] ?? ""]).body == "Hello")
    }

    @Test func `no format falls back to the other (protocol v1, rule 38)`() throws {
        let web = try push("Hello")
        let sealed = try handset.push(Message(body: "Sealed"), to: device)
        #expect(show(["sealed": web["webpush"] ?? ""]).outcome == .malformed)
        #expect(show(["webpush": sealed["sealed"] ?? ""]).outcome == .malformed)
        #expect(show(["webpush": 7]).outcome == .malformed)
        #expect(show(["sealed": sealed["sealed"] ?? ""]).body == "Sealed")
    }

    @Test func `the subscription stays until it is ended, and a new one has other values (protocol v1, rule 38)`()
        throws
    {
        #expect(try device.enableWebPush() == subscription)
        let old = try push("Hello")
        try device.disableWebPush()
        let next = try device.enableWebPush(random: &handset.random)
        #expect(next.p256dh != subscription.p256dh && next.auth != subscription.auth)
        #expect(show(old).outcome == .malformed)
    }

    @Test func `damaged keys are refused and replaced only when the app says so`() throws {
        let path = handset.folder.path("group/sealedpush.web-push")
        try WholeFile.write(Array("no keys".utf8), to: path, access: .ownerOnly)
        #expect(refusal { () throws(AppDeviceError) in _ = try device.enableWebPush() } == .webPushKeysDamaged)
        #expect(show(["webpush": "AQ"]).outcome == .notSealed)
        try device.disableWebPush()
        #expect(try device.enableWebPush() != subscription)
    }

    @Test func `no description of a subscription shows its secret`() throws {
        for text in ["\(subscription)", String(describing: subscription), String(reflecting: subscription)] {
            #expect(!text.contains(subscription.auth))
        }
        var dumped = ""
        dump(subscription, to: &dumped)
        #expect(!dumped.contains(subscription.auth))
    }
}
