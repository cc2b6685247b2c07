import APNS
import Envelope
import PushStore
import TestSupport
import Testing

@testable import PushService

/// One tenant's keys against everything of another's (abuse case 85): the answer is always that of what does not exist.
struct IsolationTests {
    @Test func `nothing of another tenant's can be read, changed or told from nothing`() async throws {
        try await ServerStage.with { stage in
            try await stage.register("secret", 1, tenant: "acme")
            // The store knows the other tenant too: without devices of its own the store would not be queried.
            try await stage.register("own", 3, tenant: "rival")
            let ids = await stage.post(Body.notification(#"{"device":"secret","sealed":"\#(Body.sealed)"}"#)).ids
            let refused = Attempt(time: stage.now, connection: .answered, status: 400, reason: "BadTopic")
            try await stage.finish(.normal, refused, .dead(.rejected))
            let id = try #require(ids.first)
            let absent = APNSID(randomBytes: Array(1...16)).description
            let pages = await stage.manage("GET", "/v1/dead-letters?limit=1")
            let cursor = try #require(pages.string("next"))

            for (path, other) in [
                ("/v1/devices/secret", "/v1/devices/absent"),
                ("/v1/devices/secret/bundle", "/v1/devices/absent/bundle"),
                ("/v1/devices/secret/deliveries", "/v1/devices/absent/deliveries"),
                ("/v1/notifications/" + id, "/v1/notifications/" + absent),
            ] {
                let reply = await stage.read(path, tenant: "rival")
                let nothing = await stage.read(other, tenant: "rival")
                #expect(reply.status == 404 && reply.body == nothing.body && reply.fields == nothing.fields, "\(path)")
            }
            func query(_ name: String) async -> String {
                await stage.send(
                    "POST",
                    "/v1/bundles/query",
                    StagedConfiguration.key("rival", .read),
                    body: #"{"devices":[{"device":"\#(name)"}]}"#
                ).text
            }
            #expect(
                await query("secret").split(separator: "secret") == (await query("absent")).split(separator: "absent")
            )
            #expect(await query("secret").contains(#""state":"missing""#))
            let deletion = await stage.manage("DELETE", "/v1/devices/secret", tenant: "rival")
            #expect(deletion.body == (await stage.manage("DELETE", "/v1/devices/absent", tenant: "rival")).body)
            #expect(await stage.manage("GET", "/v1/dead-letters", tenant: "rival").text == #"{"dead-letters":[]}"#)
            #expect(await stage.manage("GET", "/v1/dead-letters?cursor=" + cursor, tenant: "rival").status == 400)

            let replay = await stage.manage(
                "POST",
                "/v1/dead-letters/replay",
                tenant: "rival",
                body: #"{"ids":["\#(id)"]}"#
            )
            let nothing = await stage.manage(
                "POST",
                "/v1/dead-letters/replay",
                tenant: "rival",
                body: #"{"ids":["\#(absent)"]}"#
            )
            #expect(replay.text.split(separator: id) == nothing.text.split(separator: absent))
            #expect(replay.text.contains(#""result":"unknown""#))

            for (name, kind) in [("secret", "sealed"), ("absent", "sealed")] {
                let json =
                    #"{"topic":"com.example.rival","class":"normal","recipients":[{"device":"\#(name)","\#(kind)":"\#(Body.sealed)"}]}"#
                let reply = await stage.post(json, tenant: "rival")
                #expect(reply.status == 422 && reply.pointers == ["/recipients/0/device"])
                #expect(reply.text.contains("no such device"))
            }
            let foreign = await stage.post(
                #"{"topic":"com.example.chat","class":"normal","recipients":[{"device":"secret","sealed":"\#(Body.sealed)"}]}"#,
                tenant: "rival"
            )
            #expect(foreign.status == 422 && foreign.pointers == ["/topic"])
            let sap = await stage.send(
                "POST",
                "/v1/compat/sap",
                StagedConfiguration.key("rival", .send),
                body: #"{"topic":"com.example.rival","devices":["secret"],"notification":{"alert":"x"}}"#
            )
            #expect(sap.status == 422 && sap.pointers == ["/devices/0"])

            // Another tenant's device of the same name is another device.
            try await stage.register("secret", 2, tenant: "rival")
            #expect(await stage.read("/v1/devices/secret").string("topic") == "com.example.chat")
            let none = await stage.read("/v1/devices/secret/deliveries", tenant: "rival")
            #expect(none.json?["notifications"]?.content == .integer(0))
            let one = await stage.read("/v1/devices/secret/deliveries")
            #expect(one.json?["failed"]?["rejected"]?.content == .integer(1))
            #expect(await stage.manage("DELETE", "/v1/devices/secret", tenant: "rival").status == 204)
            #expect(await stage.read("/v1/devices/secret").status == 200)
            #expect(await stage.read("/v1/notifications/" + id).string("state") == "dead")
        }
    }

    @Test func `one idempotency key of two tenants is two requests`() async throws {
        try await ServerStage.with { stage in
            try await stage.register(tenant: "acme")
            try await stage.register(tenant: "rival")
            let acme = await stage.post(Body.notification(), [("idempotency-key", "k")])
            let json =
                #"{"topic":"com.example.rival","class":"normal","recipients":[{"device":"d1","sealed":"\#(Body.sealed)"}]}"#
            let rival = await stage.post(json, tenant: "rival", [("idempotency-key", "k")])
            #expect(acme.status == 202 && rival.status == 202 && acme.ids != rival.ids)
        }
    }
}
