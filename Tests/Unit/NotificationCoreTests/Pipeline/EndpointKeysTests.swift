import Envelope
import Keys
import Opening
import TestSupport
import Testing

@testable import NotificationCore

/// Keys of each endpoint, and records that name the endpoint by a hint (protocol v1, rule 38).
struct EndpointKeysTests {
    private static let trace = Trace(bytes: Array(0..<16))
    private static let one = EndpointID(bytes: Array(repeating: 1, count: 16))
    private static let other = EndpointID(bytes: Array(repeating: 2, count: 16))

    private let handset: Handset
    private let device: AppDevice

    init() throws {
        handset = try Handset(seed: 9_171)
        device = try handset.launch()
    }

    private func subscribe(_ id: EndpointID, _ name: String) throws -> WebPushSubscription {
        try device.makeWebPushKeys(for: id, server: name, random: &handset.random)
    }

    private static func push(
        _ record: [UInt8],
        to id: EndpointID,
        as name: String = "webpush",
        trace: Trace = trace
    ) -> [AnyHashable: Any] {
        [name: Base64URL.string(record), "endpoint": Base64URL.string(id.hint(in: trace)), "trace": trace.text]
    }

    private func show(_ push: [AnyHashable: Any], showsServers: Bool = true) -> NotificationContent {
        var display = handset.display
        display.showsServers = showsServers
        let pipeline = NotificationPipeline(container: handset.container, display: display, opensWebPush: true)
        let content = pipeline.content(userInfo: push, now: handset.now)
        pipeline.didShow(content)
        return content
    }

    @Test func `a record opens under the keys of its own endpoint alone, and shows the server's name`() throws {
        let names = ["social.example\u{202E}", "b"]
        let servers = try zip([Self.one, Self.other], names).map { try WebPushServer(subscribe($0, $1)) }
        let record = try servers[0].record(of: Array("Hello".utf8), seed: 1)
        var unnamed = Self.push(record, to: Self.one)
        unnamed["endpoint"] = nil
        var wrong = Self.push(record, to: Self.one)
        for hint in ["", "AA", String(repeating: "A", count: 11), String(repeating: "A", count: 100), 7] as [Any] {
            wrong["endpoint"] = hint
            #expect(show(wrong).outcome == .notSealed, "\(hint)")
        }
        wrong["endpoint"] = Base64URL.string(Self.one.hint(in: Trace(bytes: Array(1..<17))))
        #expect(show(wrong).outcome == .notSealed)
        #expect(show(unnamed).outcome == .notSealed)
        #expect(show(Self.push(record, to: Self.other)).outcome == .malformed)
        let content = show(Self.push(record, to: Self.one))
        #expect(content.body == "Hello" && content.subtitle == "social.example")
        let second = try servers[1].record(of: Array("Hello".utf8), seed: 2)
        #expect(show(Self.push(second, to: Self.other), showsServers: false).subtitle.isEmpty)
        #expect(show(Self.push(second, to: Self.other)).outcome == .replay)
    }

    @Test func `two endpoints have nothing in common, and end with their keys or the device`() throws {
        let (one, other) = (try subscribe(Self.one, "a"), try subscribe(Self.other, "b"))
        #expect(one.p256dh != other.p256dh && one.auth != other.auth)
        #expect(try device.webPushServers() == [Self.one: "a", Self.other: "b"])
        let hints = [1, 2].map { Self.one.hint(in: Trace(bytes: Array($0..<($0 + 16)))) }
        #expect(hints[0] != hints[1])
        try device.removeWebPushKeys(for: Self.one)
        let record = try WebPushServer(one).record(of: Array("Hello".utf8), seed: 3)
        #expect(show(Self.push(record, to: Self.one)).outcome == .notSealed)
        try AppDevice.erase(handset.settings)
        #expect(try handset.container.endpointKeys.ids().isEmpty)
    }

    @Test func `a record of the draft opens by its own field alone, and is shown once`() throws {
        let server = try WebPushServer(subscribe(Self.one, "a"))
        let record = try server.draftRecord(of: Array("Hello".utf8), seed: 4)
        #expect(show(Self.push(record, to: Self.one)).outcome == .malformed)
        var both = Self.push(record, to: Self.one, as: "aesgcm")
        both["webpush"] = both["aesgcm"]
        #expect(show(both).outcome == .malformed)
        #expect(show(Self.push(record, to: Self.one, as: "aesgcm")).body == "Hello")
        #expect(show(Self.push(record, to: Self.one, as: "aesgcm")).outcome == .replay)
        let standard = try server.record(of: Array("Hello".utf8), seed: 5)
        #expect(show(Self.push(standard, to: Self.one, as: "aesgcm")).outcome == .malformed)
        for index in [0, 21, record.count - 1] {
            var changed = try server.draftRecord(of: Array("Hello".utf8), seed: 6)
            changed[index] ^= 1
            #expect(show(Self.push(changed, to: Self.one, as: "aesgcm")).outcome == .malformed, "byte \(index)")
        }
    }

    @Test(arguments: ["webpush", "aesgcm"])
    func `a record that was too long waits for the app, which fetches it, and is shown once`(_ name: String)
        async throws
    {
        let server = try WebPushServer(subscribe(Self.one, "a"))
        let text = Array(String(repeating: "a", count: 3_900).utf8)
        let record = try name == "webpush" ? server.record(of: text, seed: 7) : server.draftRecord(of: text, seed: 7)
        let push = Self.push([], to: Self.one, as: name)
        #expect(show(push).outcome == .storeUnavailable)
        #expect(try handset.spooled().count == 1)
        let relay = RecordingRelay()
        relay.fail(true)
        #expect(await refuses { try await device.fetchRecords(from: relay) })
        #expect(try device.openSpooled(now: handset.now).isEmpty && handset.spooled().count == 1)
        relay.fail(false)
        relay.keep(record, as: Base64URL.string(Self.one.recordName(in: Self.trace)))
        try await device.fetchRecords(from: relay)
        #expect(try device.openSpooled(now: handset.now).map { $0.body.hasPrefix("aaaa") } == [true])
        #expect(try handset.spooled().isEmpty)
        // The relay sent it again.
        #expect(show(Self.push(record, to: Self.one, as: name)).outcome == .replay)
    }

    @Test func `a record that the relay has no more is forgotten`() async throws {
        _ = try subscribe(Self.one, "a")
        #expect(show(Self.push([], to: Self.one)).outcome == .storeUnavailable)
        try await device.fetchRecords(from: RecordingRelay())
        #expect(try handset.spooled().isEmpty)
    }
}
