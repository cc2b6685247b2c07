import Envelope
import PushStore
import Synchronization
import TestSupport
import Testing

@testable import PushService

struct ReceiptRouteTests {
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
            let body = #"{"receipts":[{"capability":"\#(capability.text)","code":"opened"}]}"#
            let first = await stage.send("POST", "/v1/receipts", body: body)
            let second = await stage.send("POST", "/v1/receipts", body: body)
            #expect(first.status == 204 && first.body == second.body && first.fields == second.fields)
            let text = await stage.send("GET", "/v1/metrics", StagedConfiguration.key("acme", .metrics)).text
            #expect(text.contains("\nsealedpush_receipts_total 1\n"))
            #expect(text.contains("\nsealedpush_receipts_awaited_total 1\n"))
            stage.store.failure = .full
            #expect(await stage.send("POST", "/v1/receipts", body: body).status == 503)
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
            let hooks = stage.store.state.withLock { $0.hooks }
            #expect(hooks.map(\.kind) == [.resendRequested] && hooks.first?.detail == Array(1...8))
            #expect(hooks.first?.tenant == (try TenantID("acme")))
            let other = await stage.send("POST", "/v1/resends", body: #"{"resends":[{"trace":"\#(unknown)"}]}"#)
            #expect(other.status == 204 && other.fields == reply.fields)
            // Who has picked up a trace cannot flood a back end with it.
            for _ in 0..<10 { _ = await stage.send("POST", "/v1/resends", body: body) }
            #expect(stage.store.state.withLock { $0.hooks.count } == 3)
            stage.advance(.seconds(600))
            _ = await stage.send("POST", "/v1/resends", body: body)
            #expect(stage.store.state.withLock { $0.hooks.count } == 4)
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
            #expect(stage.store.state.withLock { $0.hooks.isEmpty })
        }
    }
}
