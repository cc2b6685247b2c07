import Envelope
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

struct ReceiptRouteTests {
    /// Takes the waiting hooks, as if their tenants had been called.
    private static func takeHooks(_ stage: ServerStage) async throws -> [Hook] {
        let hooks = try await stage.store.takeHooks(.unlimited, now: stage.now, leasedUntil: stage.now)
        try await stage.store.finishHooks(hooks.map { HookOutcome($0, .done) })
        return hooks
    }

    @Test func `a receipt is good once, and its answer never tells`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let capability = try #require(ReceiptCapability(rawRepresentation: Array(1...16)))
            let hash = ReceiptHash(of: capability).text
            #expect(
                await stage.post(
                    Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)","receipt-hash":"\#(hash)"}"#)
                ).status == 202
            )
            let answered = Attempt(time: stage.now, connection: .answered, status: 200)
            try await stage.finish(.normal, answered, .accepted)
            let body = #"{"receipts":[{"capability":"\#(capability.text)","code":"opened"}]}"#
            stage.failure = .full
            #expect(await stage.send("POST", "/v1/receipts", body: body).status == 503)
            stage.failure = nil
            let first = await stage.send("POST", "/v1/receipts", body: body)
            let second = await stage.send("POST", "/v1/receipts", body: body)
            #expect(first.status == 204 && first.body == second.body && first.fields == second.fields)
            let text = await stage.send("GET", "/v1/metrics", StagedConfiguration.key("acme", .metrics)).text
            #expect(text.contains("\nsealedpush_receipts_total 1\n"))
            #expect(text.contains("\nsealedpush_receipts_awaited_total 1\n"))
        }
    }

    @Test func `a re-send is told to whoever sent the trace, and a stranger's changes nothing`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let trace = await stage.post(Body.notification()).notifications.first?["trace"]?.string ?? ""
            let unknown = Trace(bytes: Array(repeating: 9, count: 16)).text
            let body =
                #"{"resends":[{"trace":"\#(trace)","prekey-id":"\#(Base64URL.string(Array(1...8)))"},{"trace":"\#(unknown)"}]}"#
            let reply = await stage.send("POST", "/v1/resends", body: body)
            #expect(reply.status == 204 && reply.body.isEmpty)
            let hooks = try await Self.takeHooks(stage)
            #expect(hooks.map(\.kind) == [.resendRequested] && hooks.first?.detail == Array(1...8))
            #expect(hooks.first?.entry.tenant == (try TenantID("acme")))
            let other = await stage.send("POST", "/v1/resends", body: #"{"resends":[{"trace":"\#(unknown)"}]}"#)
            #expect(other.status == 204 && other.fields == reply.fields)
            // A trace alone is not enough to flood a back end.
            var count = 1
            for _ in 0..<10 {
                _ = await stage.send("POST", "/v1/resends", body: body)
                count += try await Self.takeHooks(stage).count
            }
            #expect(count == 3)
            stage.advance(.seconds(600))
            _ = await stage.send("POST", "/v1/resends", body: body)
            #expect(try await Self.takeHooks(stage).count == 1)
        }
    }

    @Test func `a tenant without a webhook is told of no re-send`() async throws {
        try await ServerStage.with { stage in
            try await stage.register(tenant: "rival")
            let json =
                #"{"topic":"com.example.rival","class":"normal","recipients":[{"device":"d1","sealed":"\#(Body.sealed)"}]}"#
            let trace = await stage.post(json, tenant: "rival").notifications.first?["trace"]?.string ?? ""
            let body = #"{"resends":[{"trace":"\#(trace)"}]}"#
            #expect(await stage.send("POST", "/v1/resends", body: body).status == 204)
            #expect(try await Self.takeHooks(stage).isEmpty)
        }
    }
}
