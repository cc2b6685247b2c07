import APNS
import Envelope
import Platform
import PushStore
import TestSupport
import Testing

@testable import PushService

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
            #expect(stage.dispatch.woken.withLock { $0 } == [[.background]])
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

    private static func post(
        _ stage: ServerStage,
        _ body: String,
        _ fields: [(String, String)] = []
    ) async -> ServerStage.Reply {
        await stage.send("POST", "/v1/compat/sap", StagedConfiguration.key("rival", .send), body: body, fields)
    }

    @Test(arguments: [true, false])
    func `one key and one body are one notification here too`(_ isField: Bool) async throws {
        try await ServerStage.with { stage in
            try await stage.register(tenant: "rival")
            let fields = isField ? [("idempotency-key", "k")] : []
            let member = isField ? "" : #","idempotency-key":"k""#
            let properties = #"{"alert":"Hi","apns":{"showActionButton":true}}"#
            let body = #"{"topic":"com.example.rival","devices":["d1"],"notification":\#(properties)\#(member)}"#
            let first = await Self.post(stage, body, fields)
            let again = await Self.post(stage, body, fields)
            #expect(first.status == 202 && again.status == 202 && again.body == first.body, "\(again.text)")
            let other = await Self.post(stage, body + " ", fields)
            #expect(other.status == 409 && other.problem == "idempotency-conflict")
            let key = StagedConfiguration.key("rival", .manage)
            #expect(await stage.send("DELETE", "/v1/devices/d1", key).status == 204)
            #expect(await Self.post(stage, body, fields).body == first.body, "its device is gone")
            #expect(try await stage.queuedCount() == 1)
        }
    }

    @Test func `a repetition is answered when its date has passed, and only then`() async throws {
        try await ServerStage.with { stage in
            try await stage.register(tenant: "rival")
            let body = Self.body("com.example.rival", #"{"alert":"Hi","apns":{"expiry":"2026-11-01T00:01:00.000Z"}}"#)
            let first = await Self.post(stage, body, [("idempotency-key", "k")])
            #expect(first.status == 202, "\(first.text)")
            stage.advance(.seconds(120))
            #expect(await Self.post(stage, body, [("idempotency-key", "k")]).body == first.body)
            #expect(await Self.post(stage, body, [("idempotency-key", "other")]).status == 422)
            #expect(await Self.post(stage, body).status == 422)
        }
    }

    @Test func `a key that is none is a fault here too`() async throws {
        try await ServerStage.with { stage in
            try await stage.register(tenant: "rival")
            let body = Self.body("com.example.rival", #"{"alert":"Hi"}"#)
            let reply = await Self.post(stage, body, [("idempotency-key", "two words")])
            #expect(reply.status == 422 && reply.pointers == ["/idempotency-key"])
        }
    }
}
