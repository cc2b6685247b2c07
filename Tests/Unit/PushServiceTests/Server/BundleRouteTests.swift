import APNS
import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

/// A bundle's tag, and the bundles of many devices.
struct BundleRouteTests {
    private static func query(_ stage: ServerStage, _ devices: String, tenant: String = "acme") async
        -> ServerStage.Reply
    {
        await stage.send(
            "POST",
            "/v1/bundles/query",
            StagedConfiguration.key(tenant, .read),
            body: #"{"devices":[\#(devices)]}"#
        )
    }

    private static func get(_ stage: ServerStage, _ fields: [(String, String)] = []) async -> ServerStage.Reply {
        await stage.send("GET", "/v1/devices/d1/bundle", StagedConfiguration.key("acme", .read), fields)
    }

    private static func states(_ reply: ServerStage.Reply) -> [String?] {
        reply.json?["bundles"]?.elements?.map { $0["state"]?.string } ?? []
    }

    /// Registers devices by the store alone, in one call.
    private static func register(_ names: [String], _ stage: ServerStage) async throws {
        let topic = "com.example.chat"
        let bundle = try SignedBundle.bytes(topic: topic)
        let registrations = try names.enumerated().map { index, name in
            Device.Registration(
                key: DeviceKey(tenant: try TenantID("acme"), device: try DeviceID(name)),
                topic: try Topic(bundleID: topic),
                environment: .production,
                token: try DeviceToken(hex: ServerStage.token(index)),
                bundle: bundle
            )
        }
        _ = try await stage.store.put(registrations, now: stage.now)
    }

    @Test func `a sender that has the bundle gets 304, until bundle or language change`() async throws {
        let folder = try TemporaryFolder()
        var tag = ""
        try await ServerStage.with(folder: folder) { stage in
            try await stage.register()
            let first = await Self.get(stage)
            tag = try #require(first.fields["etag"])
            #expect(first.status == 200 && tag.utf8.count == 24)
        }
        try await ServerStage.with(folder: folder) { stage in
            for list in [tag, "W/" + tag, "*", "\"x\", " + tag, "\"x\",W/" + tag + ",\"y\""] {
                let reply = await Self.get(stage, [("if-none-match", list)])
                #expect(reply.status == 304 && reply.body.isEmpty && reply.fields["etag"] == tag, "\(list)")
                #expect(reply.fields["content-type"] == nil && reply.fields["cache-control"] == "no-store")
            }
            for list in ["", "\"x\"", String(tag.dropLast()), String(tag.dropFirst().dropLast()), "x" + tag, "\"*\""] {
                #expect(await Self.get(stage, [("if-none-match", list)]).status == 200, "\(list)")
            }
            let language = try ServerStage.device().replacing("de-CH", with: "fr-CH")
            #expect(await stage.manage("PUT", "/v1/devices/d1", body: language).status == 200)
            let changed = await Self.get(stage, [("if-none-match", tag)])
            #expect(changed.status == 200 && changed.fields["etag"] != tag && changed.string("language") == "fr-CH")
            #expect(await stage.manage("DELETE", "/v1/devices/d1").status == 204)
            #expect(await Self.get(stage, [("if-none-match", tag)]).status == 404)
        }
    }

    @Test func `a query has what changed, in its order, with the tags of each one's own route`() async throws {
        try await ServerStage.with { stage in
            try await stage.register("d1")
            try await stage.register("d2", 2)
            try await stage.register("theirs", 3, tenant: "rival")
            let alone = await Self.get(stage)
            let first = await Self.query(
                stage,
                #"{"device":"d1"},{"device":"theirs"},{"device":"d2"},{"device":"absent"}"#
            )
            #expect(first.status == 200 && Self.states(first) == ["current", "missing", "current", "missing"])
            let elements = try #require(first.json?["bundles"]?.elements)
            #expect(elements.map { $0["device"]?.string } == ["d1", "theirs", "d2", "absent"])
            let tag = try #require(elements[0]["etag"]?.string)
            #expect(alone.fields["etag"] == "\"\(tag)\"" && elements[0]["bundle"]?.string == alone.string("bundle"))
            #expect(elements[0]["language"]?.string == "de-CH" && elements[1].members?.count == 2)

            let devices = #"{"device":"d1","etag":"\#(tag)"},{"device":"d2","etag":"older"}"#
            let second = await Self.query(stage, devices)
            #expect(Self.states(second) == ["unchanged", "current"])
            #expect(second.json?["bundles"]?.elements?.first?.members?.count == 2)
            // The answer's own tag is that of the bundles, whatever the sender had.
            let whole = try #require(second.fields["etag"])
            #expect(whole.hasPrefix("W/\"") && whole != first.fields["etag"])
            #expect(await Self.query(stage, #"{"device":"d1"},{"device":"d2"}"#).fields["etag"] == whole)
            #expect(await Self.query(stage, #"{"device":"d2"},{"device":"d1"}"#).fields["etag"] != whole)
            let language = try ServerStage.device().replacing("de-CH", with: "fr-CH")
            #expect(await stage.manage("PUT", "/v1/devices/d1", body: language).status == 200)
            let third = await Self.query(stage, devices)
            #expect(Self.states(third) == ["current", "current"] && third.fields["etag"] != whole)
        }
    }

    @Test func `a thousand devices are one query, and one more is too many`() async throws {
        try await ServerStage.with { stage in
            let names = (0..<1_000).map { "d\($0)" }
            try await Self.register(names.filter { $0 != "d500" }, stage)
            func query(_ names: [String], _ more: String = "") async -> ServerStage.Reply {
                await Self.query(stage, names.map { #"{"device":"\#($0)"\#(more)}"# }.joined(separator: ","))
            }
            let reply = await query(names)
            let elements = reply.json?["bundles"]?.elements ?? []
            #expect(elements.map { $0["device"]?.string } == names)
            let tags = Set(elements.map { $0["etag"]?.string })
            #expect(tags.count == 2 && elements[500]["state"]?.string == "missing")
            let tag = try #require(elements[0]["etag"]?.string)
            let again = await query(names, #","etag":"\#(tag)""#)
            #expect(
                Set(Self.states(again)) == ["unchanged", "missing"] && again.fields["etag"] == reply.fields["etag"]
            )
            #expect(again.body.count < 64 * 1_000)
            let over = await query(names + ["d1000"])
            #expect(over.status == 422 && over.pointers == ["/devices"])
        }
    }

    @Test func `what is no query is named, and a body has its bound`() async throws {
        try await ServerStage.with { stage in
            for (devices, pointers) in [
                ("", ["/devices"]), (#"{"device":"a/b"}"#, ["/devices/0/device"]), ("7", ["/devices/0"]),
                (#"{"device":"d1"},{"etag":"x"}"#, ["/devices/1/device"]),
                (#"{"device":"d1","etag":""}"#, ["/devices/0/etag"]),
                (#"{"device":"d1","tag":"x"}"#, ["/devices/0/tag"]),
            ] {
                let reply = await Self.query(stage, devices)
                #expect(reply.status == 422 && reply.pointers == pointers, "\(reply.text)")
            }
            let long = await Self.query(stage, String(repeating: " ", count: 300_000))
            #expect(long.status == 413 && long.json?["room"]?.content == .integer(257_024))
        }
    }

    @Test func `a tenant asks for one at a time, and another tenant does not wait for it`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let body = #"{"devices":[{"device":"d1"}]}"#
            let replies = await stage.together(
                "POST",
                "/v1/bundles/query",
                StagedConfiguration.key("acme", .read),
                bodies: [body, body]
            )
            #expect(replies.map(\.status) == [200, 429] && replies.last?.fields["retry-after"] == "1")
            async let one = Self.query(stage, #"{"device":"d1"}"#)
            async let other = Self.query(stage, #"{"device":"d1"}"#, tenant: "rival")
            #expect(await [one.status, other.status] == [200, 200])
        }
    }
}
