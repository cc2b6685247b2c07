import APNS
import Envelope
import Platform
import PushStore
import PushStorePattern
import Sealing
import TestSupport
import Testing

@testable import PushService

/// `"partial": true`: what can be stored is stored, and each other recipient has its problem.
struct PartialSubmissionTests {
    private static func recipient(_ device: String, _ sealed: String = Body.sealed, _ more: String = "") -> String {
        #"{"device":"\#(device)","sealed":"\#(sealed)"\#(more)}"#
    }

    private static func body(
        _ recipients: [String],
        _ more: String = "",
        isPartial: Bool = true,
        class kind: String = "normal"
    ) -> String {
        Body.notification(recipients.joined(separator: ","), (isPartial ? #","partial":true"# : "") + more, class: kind)
    }

    /// Pointers and details of a problem.
    private static func errors(_ problem: JSONValue?) -> [String] {
        problem?["errors"]?.elements?.map { ($0["pointer"]?.string ?? "") + ": " + ($0["detail"]?.string ?? "") } ?? []
    }

    /// Registers devices by the store alone, in one call.
    private static func register(_ names: [String], in stage: ServerStage, topic: String = "com.example.chat")
        async throws
    {
        let bundle = try SignedBundle.bytes(topic: topic)
        let registrations = try names.enumerated().map { index, name in
            Device.Registration(
                key: DeviceKey(tenant: try TenantID("acme"), device: try DeviceID(name)),
                topic: try Topic(bundleID: topic),
                environment: .production,
                token: try DeviceToken(hex: ServerStage.token(index + 5_000)),
                bundle: bundle
            )
        }
        _ = try await stage.store.put(registrations, now: stage.now)
    }

    /// A device in each state that none is sent to, and `good`.
    private static func registerAll(_ stage: ServerStage) async throws {
        try await stage.register("good")
        try await stage.register("aside", 2)
        try await stage.register("gone", 3)
        try await stage.register("theirs", 4, tenant: "rival")
        try await register(["of-another-app"], in: stage, topic: "com.example.other")
        let tenant = try TenantID("acme")
        _ = try await stage.store.quarantine(
            token: DeviceToken(hex: ServerStage.token(2)),
            environment: .production,
            tenant: tenant
        )
        _ = try await stage.store.unregister([
            Unregistration(
                key: DeviceKey(tenant: tenant, device: try DeviceID("gone")),
                token: try DeviceToken(hex: ServerStage.token(3)),
                timestamp: ServerStage.start
            )
        ])
    }

    @Test func `one dead device does not fail a group of a thousand`() async throws {
        try await ServerStage.with { stage in
            let names = (0..<1_000).map { "d\($0)" }
            try await Self.register(names.filter { $0 != "d617" }, in: stage)
            var message = Message()
            message.title = "Anna"
            let sealed = try Body.sealed(message).sealedField
            let recipients = names.map { Self.recipient($0, sealed) }
            let whole = await stage.post(Self.body(recipients, isPartial: false))
            #expect(whole.status == 422 && whole.pointers == ["/recipients/617/device"])
            #expect(try await stage.queuedCount() == 0)

            let reply = await stage.post(Self.body(recipients))
            #expect(reply.status == 202)
            #expect(reply.notifications.map { $0["device"]?.string } == names.filter { $0 != "d617" })
            let rejected = reply.json?["rejected"]?.elements ?? []
            #expect(rejected.count == 1 && rejected.first?["index"]?.content == .integer(617))
            #expect(rejected.first?["device"]?.string == "d617")
            #expect(Self.errors(rejected.first?["problem"]) == Self.errors(whole.json))
            #expect(try await stage.queuedCount() == 999)
            var metrics: [UInt8] = []
            stage.context.metrics.withLock { $0.append(to: &metrics) }
            #expect(String(decoding: metrics, as: UTF8.self).contains("sealedpush_recipients_rejected_total 1\n"))
        }
    }

    @Test func `each recipient has the words that a request to it alone would get`() async throws {
        try await ServerStage.with { stage in
            try await Self.registerAll(stage)
            let bad = [
                Self.recipient("absent"), Self.recipient("aside"), Self.recipient("gone"), Self.recipient("theirs"),
                Self.recipient("of-another-app"), Self.recipient("call", Body.sealedField(.voip)),
                Self.recipient("cut", String(Body.sealed.dropLast(4))),
                Self.recipient("traced", Body.sealed, #","trace":"x""#),
                Self.recipient("more", Body.sealed, #","badge":1"#), #"{"device":"a/b"}"#, "7",
            ]
            let reply = await stage.post(Self.body([Self.recipient("good")] + bad))
            #expect(reply.status == 202, "\(reply.text)")
            #expect(reply.notifications.map { $0["device"]?.string } == ["good"])
            let rejected = reply.json?["rejected"]?.elements ?? []
            #expect(rejected.map { $0["index"]?.content } == (1...bad.count).map { .integer(Int64($0)) })
            for (one, body) in zip(rejected, bad) {
                let alone = await stage.post(Self.body([body], isPartial: false))
                let problem = try #require(one["problem"])
                for name in ["type", "title"] { #expect(problem[name]?.string == alone.string(name), "\(body)") }
                for name in ["status", "bytes", "room"] {
                    #expect(problem[name]?.content == alone.json?[name]?.content, "\(body)")
                }
                guard case .integer(let index)? = one["index"]?.content else { continue }
                let moved = Self.errors(alone.json).map { $0.replacing("/recipients/0", with: "/recipients/\(index)") }
                #expect(!moved.isEmpty && Self.errors(problem) == moved)
            }
            let names = ["absent", "aside", "gone", "theirs", "of-another-app", "call", "cut", "traced", "more"]
            #expect(rejected.map { $0["device"]?.string } == names + [nil, nil])
            #expect(try await stage.queuedCount() == 1)
        }
    }

    @Test func `if none can be stored, the answer is the one without partial`() async throws {
        try await ServerStage.with { stage in
            try await Self.registerAll(stage)
            for bad in [["absent", "aside", "gone"].map { Self.recipient($0) }, [Self.recipient("good", "short")]] {
                let partial = await stage.post(Self.body(bad), [("idempotency-key", "k")])
                let whole = await stage.post(Self.body(bad, isPartial: false))
                #expect(partial.status == 422 && Self.errors(partial.json) == Self.errors(whole.json))
                #expect(partial.string("detail")?.contains("Nothing was stored") == true)
            }
            let mixed = await stage.post(
                Self.body([Self.recipient("absent"), Self.recipient("good", Body.sealed + "AAAA")])
            )
            #expect(mixed.status == 422 && mixed.pointers == ["/recipients/0/device"])
            // Its key belongs to nothing yet.
            let good = await stage.post(Self.body([Self.recipient("good")]), [("idempotency-key", "k")])
            #expect(good.status == 202 && good.json?["rejected"]?.elements?.isEmpty == true)
        }
    }

    @Test func `what belongs to no single recipient refuses the request all the same`() async throws {
        try await ServerStage.with { stage in
            try await stage.register("good")
            let good = Self.recipient("good")
            for (bad, more, pointer) in [
                ([good, good], "", "/recipients"), ([good, Self.recipient("good", "short")], "", "/recipients"),
                ([good, Self.recipient("absent", Body.sealed, #","body":"canary""#)], "", "/recipients/1/body"),
                ([good, Self.recipient("absent")], #","expiry":7"#, "/expiry"),
                ([good], #","partial":1"#, "/partial"),
            ] {
                let isPartial = pointer != "/partial"
                let reply = await stage.post(Self.body(bad, more, isPartial: isPartial))
                #expect(reply.status == 422 && reply.pointers == [pointer], "\(reply.text)")
            }
            #expect(try await stage.queuedCount() == 0)
        }
    }

    @Test func `a repetition gets the same rejected after a restart, whatever became of the devices`() async throws {
        let folder = try TemporaryFolder()
        let body = Self.body([Self.recipient("d1"), Self.recipient("dead")], #","idempotency-key":"k""#)
        var first: ServerStage.Reply?
        try await ServerStage.with(folder: folder) { stage in
            try await stage.register("d1")
            first = await stage.post(body)
            #expect(first?.status == 202 && first?.json?["rejected"]?.elements?.count == 1)
            #expect(await stage.post(body).body == first?.body)
        }
        try await ServerStage.with(folder: folder, quota: 1) { stage in
            #expect(await stage.post(body).body == first?.body)
            try await stage.register("dead", 2)
            #expect(await stage.post(body).body == first?.body)
            #expect(await stage.manage("DELETE", "/v1/devices/d1").status == 204)
            #expect(await stage.post(body).body == first?.body)
            #expect(await stage.manage("DELETE", "/v1/devices/dead").status == 204)
            #expect(await stage.post(body).body == first?.body)
            let other = await stage.post(body + " ")
            #expect(other.status == 409 && other.problem == "idempotency-conflict")
            #expect(try await stage.queuedCount() == 1)
        }
    }

    @Test func `what the quota has no room for is left out, and without any room it is refused`() async throws {
        try await ServerStage.with(quota: 2) { stage in
            let names = ["d0", "d1", "d2", "d3"]
            try await Self.register(names, in: stage)
            let body = Self.body([Self.recipient("absent")] + names.map { Self.recipient($0) })
            stage.dispatch.hasRoom.withLock { $0 = true }
            let reply = await stage.post(body, [("idempotency-key", "k")])
            #expect(reply.status == 202 && reply.notifications.map { $0["device"]?.string } == ["d0", "d1"])
            let rejected = reply.json?["rejected"]?.elements ?? []
            #expect(rejected.map { $0["device"]?.string } == ["absent", "d2", "d3"])
            let types = rejected.map { $0["problem"]?["type"]?.string?.split(separator: ":").last }
            #expect(types == ["invalid-fields", "quota-exceeded", "quota-exceeded"])
            // Each goes to its own device.
            let offer = try #require(stage.dispatch.stored.withLock { $0.first?.offer })
            #expect(offer.devices.map(\.key.device) == offer.entries.map(\.device) && offer.devices.count == 2)

            #expect(await stage.post(body, [("idempotency-key", "k")]).body == reply.body)
            let over = await stage.post(body)
            #expect(over.status == 429 && over.problem == "quota-exceeded" && over.fields["retry-after"] == "86400")
        }
    }

    @Test func `a store that refuses stores none and answers as ever`() async throws {
        try await ServerStage.with { stage in
            try await stage.register("d1")
            stage.failure = .full
            let body = Self.body([Self.recipient("d1"), Self.recipient("dead")])
            #expect(await stage.post(body).status == 503)
            stage.failure = nil
            #expect(await stage.post(body).status == 202)
        }
    }
}
