import APNS
import Envelope
import PushStorePattern
import TestSupport
import Testing

@testable import PushService
@testable import PushStore

struct DeliveriesRouteTests {
    private static func answered(_ stage: ServerStage, _ status: Int, reason: String? = nil) -> Attempt {
        Attempt(time: stage.now, connection: .answered, status: status, reason: reason)
    }

    private static func send(_ stage: ServerStage) async { _ = await stage.post(Body.notification()) }

    @Test func `it counts by day what was taken, received, and failed for which reason`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            #expect(
                await stage.read("/v1/devices/d1/deliveries").text
                    == #"{"device":"d1","complete":true,"notifications":0,"waiting":0,"accepted":0,"received":0,"#
                    + #""failed":{},"days":[]}"#
            )
            await Self.send(stage)
            let delivered = try await stage.finish(.normal, Self.answered(stage, 200), .accepted)
            let (id, time) = (delivered[0].lease.id, stage.now)
            let result = try await stage.store.write { writer throws(StoreError) in
                guard let standing = try writer.standing(id) else { return ReceiptResult.unknown }
                return try writer.deliver(standing, at: time)
            }
            #expect(result == .recorded)
            await Self.send(stage)
            try await stage.finish(.normal, Self.answered(stage, 200), .accepted)
            await Self.send(stage)
            try await stage.finish(.normal, Self.answered(stage, 400, reason: "BadTopic"), .dead(.rejected))
            stage.advance(.seconds(86_400))
            await Self.send(stage)
            let lost = Attempt(time: stage.now, connection: .ambiguous)
            try await stage.finish(.normal, lost, .dead(.outcomeUnknown))
            await Self.send(stage)
            stage.advance(.seconds(86_400))
            #expect(try await stage.store.expire(now: stage.now, limit: 9) == 1)
            await Self.send(stage)
            #expect(
                await stage.read("/v1/devices/d1/deliveries").text
                    == #"{"device":"d1","complete":true,"notifications":6,"waiting":1,"accepted":2,"received":1,"#
                    + #""failed":{"expired":1,"outcome-unknown":1,"rejected":1},"days":["#
                    + #"{"day":"2026-11-03","notifications":1,"waiting":1,"accepted":0,"received":0,"failed":{}},"#
                    + #"{"day":"2026-11-02","notifications":2,"waiting":0,"accepted":0,"received":0,"#
                    + #""failed":{"expired":1,"outcome-unknown":1}},"#
                    + #"{"day":"2026-11-01","notifications":3,"waiting":0,"accepted":2,"received":1,"#
                    + #""failed":{"rejected":1}}]}"#
            )
        }
    }

    @Test func `a device that is gone has had its notifications, and one that never was is not found`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            await Self.send(stage)
            #expect(await stage.manage("DELETE", "/v1/devices/d1").status == 204)
            let reply = await stage.read("/v1/devices/d1/deliveries")
            #expect(reply.status == 200 && reply.json?["waiting"]?.content == .integer(1))
            #expect(await stage.read("/v1/devices/d2/deliveries").problem == "not-found")
            #expect(await stage.manage("GET", "/v1/devices/d1/deliveries").problem == "forbidden")
        }
    }

    @Test func `of a device with more only the newest are counted, and it says so`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let max = DeviceDeliveries.entryCountMax
            let entry = try await Self.entry(stage)
            for (count, isComplete) in [(max, true), (1, false)] {
                let entries = (0..<count).map { index in
                    var one = entry
                    one.apnsID = APNSID(randomBytes: (0..<16).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0) })
                    return one
                }
                for part in stride(from: 0, to: count, by: 1_000) {
                    let slice = Array(entries[part..<min(count, part + 1_000)])
                    let request = try OutboxRequest(tenant: try TenantID("acme"), idempotency: nil, entries: slice)
                    _ = try await stage.store.enqueue([request], now: stage.now)
                }
                let reply = await stage.read("/v1/devices/d1/deliveries")
                #expect(reply.json?["complete"]?.content == .bool(isComplete))
                #expect(reply.json?["notifications"]?.content == .integer(Int64(max)))
            }
        }
    }

    private static func entry(_ stage: ServerStage) async throws -> NewEntry {
        NewEntry(
            device: try DeviceID("d1"),
            topic: try Topic("com.example.chat"),
            apnsID: APNSID(randomBytes: Array(1...16)),
            lane: .normal,
            pushType: .alert,
            deadline: stage.now.advanced(by: .seconds(60)),
            payload: []
        )
    }

    @Test func `a tenant asks for one at a time, and another tenant does not wait for it`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await stage.register(tenant: "rival")
            let replies = await withTaskGroup(of: (String, ServerStage.Reply).self) { group in
                for number in 0..<40 {
                    let tenant = number % 2 == 0 ? "acme" : "rival"
                    group.addTask { (tenant, await stage.read("/v1/devices/d1/deliveries", tenant: tenant)) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for tenant in ["acme", "rival"] {
                let own = replies.filter { $0.0 == tenant }.map(\.1)
                #expect(own.contains { $0.status == 200 })
                for refused in own where refused.status != 200 {
                    #expect(refused.problem == "too-many-requests" && refused.fields["retry-after"] == "1")
                }
            }
            #expect(await stage.read("/v1/devices/d1/deliveries").status == 200, "nobody waits any more")
        }
    }
}
