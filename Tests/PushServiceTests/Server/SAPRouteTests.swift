import APNS
import Envelope
import PushStore
import Synchronization
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
