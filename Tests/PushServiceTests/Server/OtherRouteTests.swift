import APNS
import Envelope
import PushStore
import Synchronization
import TestSupport
import Testing

@testable import PushService

struct DeadLetterRouteTests {
    private static func fill(_ stage: ServerStage, _ count: Int) async throws -> [String] {
        try await stage.register()
        var ids: [String] = []
        for _ in 0..<count {
            ids += await stage.post(Body.notification()).ids
            stage.advance(.milliseconds(2))
        }
        let refused = Attempt(time: stage.now, connection: .answered, status: 400, reason: "BadCollapseId")
        try await stage.finish(.normal, refused, .dead(.rejected))
        return ids
    }

    @Test func `dead letters are listed page by page, the newest first, with what APNs said`() async throws {
        try await ServerStage.with { stage in
            let ids = try await Self.fill(stage, 5)
            var found: [String] = []
            var path = "/v1/dead-letters?limit=2"
            for _ in 0..<4 {
                let page = await stage.manage("GET", path)
                let letters = page.json?["dead-letters"]?.elements ?? []
                found += letters.compactMap { $0["id"]?.string }
                for letter in letters {
                    #expect(letter["dead-reason"]?.string == "rejected" && letter["reason"]?.string == "BadCollapseId")
                    #expect(
                        letter["status"]?.content == .integer(400) && letter["attempt-count"]?.content == .integer(1)
                    )
                }
                guard let next = page.string("next") else { break }
                path = "/v1/dead-letters?limit=2&cursor=" + next
            }
            #expect(found == Array(ids.reversed()))
        }
    }

    @Test func `a dead letter is replayed once, as another notification, and the act is written down`() async throws {
        try await ServerStage.with { stage in
            let ids = try await Self.fill(stage, 2)
            let stranger = APNSID(randomBytes: Array(1...16)).description
            let body = #"{"ids":["\#(ids[0])","\#(stranger)"]}"#
            let reply = await stage.manage("POST", "/v1/dead-letters/replay", body: body)
            #expect(reply.status == 200, "\(reply.text)")
            let rows = reply.json?["replays"]?.elements ?? []
            #expect(rows.map { $0["result"]?.string } == ["replayed", "unknown"])
            let new = try #require(rows.first?["replayed-as"]?.string)
            #expect(new != ids[0])
            #expect(stage.door.rung.withLock { $0.last } == [.normal])
            #expect(await stage.read("/v1/notifications/" + ids[0]).string("replayed-as") == new)
            let state = await stage.read("/v1/notifications/" + new)
            #expect(state.string("state") == "queued")
            // As much time as the first one had.
            let deadline = stage.now.advanced(by: .seconds(86_400)).text
            #expect(state.string("deadline") == deadline)
            let again = await stage.manage("POST", "/v1/dead-letters/replay", body: #"{"ids":["\#(ids[0])"]}"#)
            #expect(again.json?["replays"]?.elements?.first?["replayed-as"]?.string == new)
            let live = await stage.manage("POST", "/v1/dead-letters/replay", body: #"{"ids":["\#(new)"]}"#)
            #expect(live.json?["replays"]?.elements?.first?["result"]?.string == "not-dead")
            #expect(
                stage.log.contains(
                    #""act":"dead-letter-replay","tenant":"acme","key":"acme-manage","asked":"2","replayed":"1""#
                )
            )
        }
    }
}

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

struct SAPRouteTests {
    private static func body(_ topic: String, _ properties: String) -> String {
        #"{"topic":"\#(topic)","devices":["d1"],"notification":\#(properties)}"#
    }

    @Test func `content in clear goes only where the tenant's setting allows it`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await stage.register(tenant: "rival")
            let refused = await stage.send(
                "POST",
                "/v1/compat/sap",
                StagedConfiguration.key("acme", .send),
                body: Self.body("com.example.chat", #"{"alert":"Hi"}"#)
            )
            #expect(refused.status == 422 && refused.problem == "plain-text")
            let taken = await stage.send(
                "POST",
                "/v1/compat/sap",
                StagedConfiguration.key("rival", .send),
                body: Self.body(
                    "com.example.rival",
                    #"{"alert":"Hi","priority":"normal","apns":{"showActionButton":true}}"#
                )
            )
            #expect(taken.status == 202, "\(taken.text)")
            #expect(taken.json?["warnings"]?.elements?.count == 1)
            #expect(stage.door.rung.withLock { $0 } == [[.background]])
            let attempt = Attempt(time: stage.now, connection: .answered, status: 200)
            let sent = try await stage.finish(.background, attempt, .accepted)
            let entry = try #require(sent.first)
            #expect(entry.entry.attemptLimit == 3 && entry.entry.collapseID != nil)
            #expect(entry.entry.deadline == ServerStage.start.advanced(by: .seconds(86_400)))
            #expect(String(decoding: entry.payload, as: UTF8.self) == #"{"aps":{"alert":"Hi"}}"#)
        }
    }

    @Test func `devices that cannot be sent to are named`() async throws {
        try await ServerStage.with { stage in
            let reply = await stage.send(
                "POST",
                "/v1/compat/sap",
                StagedConfiguration.key("rival", .send),
                body: Self.body("com.example.rival", #"{"alert":"Hi"}"#)
            )
            #expect(reply.status == 422 && reply.pointers == ["/devices/0"])
        }
    }
}
