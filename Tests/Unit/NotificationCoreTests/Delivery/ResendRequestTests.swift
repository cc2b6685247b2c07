import Envelope
import Keys
import Opening
import TestSupport
import Testing

@testable import NotificationCore

/// Requests for messages that could not be opened (protocol v1, rule 20), from the extension and from the app.
struct ResendRequestTests {
    private let relay = RecordingRelay()

    /// A message for a prekey that the device no longer has, as its app has rotated.
    private func lose(_ handset: Handset, _ device: AppDevice, published: Bool) throws -> [AnyHashable: Any] {
        let old = try handset.recipient(device)
        handset.pass(.days(1))
        try device.rotate(now: handset.now, random: &handset.random)
        try handset.publish(device)
        handset.pass(.days(15))
        #expect(try handset.destroyDue(device) == 1)
        if !published { try device.rotate(now: handset.now, random: &handset.random) }
        return try handset.push(handset.prepared(Message(body: "Late")), to: old)
    }

    @Test func `the extension keeps a request before the answer, and makes it after`() async throws {
        let handset = try Handset(seed: 130)
        let push = try lose(handset, handset.launch(), published: true)
        let stepper = Stepper()
        var settings = ExtensionCore.Settings()
        settings.relay = relay
        let pipeline = handset.pipeline()
        let now = handset.now
        let core = ExtensionCore(
            steps: DeliverySteps(
                neutralContent: pipeline.neutralContent,
                open: { pipeline.content(of: $0, now: now) },
                remember: { _ in },
                count: { _ in }
            ),
            reports: [handset.container.reports],
            settings: settings,
            surroundings: stepper.surroundings()
        )
        core.receive(userInfo: push, requestID: "1") { content in
            #expect(content.outcome == .staleKey)
            #expect((try? handset.markers())?.count == 1)
            #expect(relay.requests.isEmpty)
        }
        stepper.runToTheEnd()
        #expect(relay.requests.map(\.trace.text) == [push["trace"] as? String])
        #expect(relay.requests.first?.prekeyID.utf8.count == 11)
    }

    @Test func `no message is asked for while the relay has an older bundle`() async throws {
        let handset = try Handset(seed: 131)
        let device = try handset.launch()
        let push = try lose(handset, device, published: false)
        #expect(handset.show(push).outcome == .staleKey)
        try await handset.container.reports.send(to: relay, from: .extension)
        try await device.report(to: relay)
        #expect(relay.callCount == 0)
        try handset.publish(device)
        let now = handset.now
        try await handset.container.reports.send(to: relay, from: .app, now: { now })
        try await handset.container.reports.send(to: relay, from: .app, now: { now })
        #expect(relay.requests.map(\.trace.text) == [push["trace"] as? String])
    }

    @Test func `a receipt that is refused holds no request up`() async throws {
        let handset = try Handset(seed: 132)
        let device = try handset.launch()
        let push = try lose(handset, device, published: true)
        handset.show(push)
        let capability = try #require(ReceiptCapability(rawRepresentation: [UInt8](repeating: 1, count: 16)))
        try handset.container.receipts.add(DeliveryReceipt(capability: capability), now: handset.now)
        relay.fail(true)
        let now = handset.now
        #expect(await refuses { try await handset.container.reports.send(to: relay, from: .app, now: { now }) })
        #expect(relay.requests.count == 1 && relay.receipts.isEmpty)
    }
}
