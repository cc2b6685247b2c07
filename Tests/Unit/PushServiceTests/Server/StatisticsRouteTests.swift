import APNS
import Envelope
import Platform
import PushStore
import TestSupport
import Testing

@testable import PushService

struct StatisticsRouteTests {
    private static func service(_ stage: ServerStage, _ path: String) async -> ServerStage.Reply {
        await stage.send("GET", "/v1/service/statistics" + path, StagedConfiguration.key("acme", .metrics))
    }

    private static func count(_ stage: ServerStage, _ tenant: String, _ region: String, day: Int64) throws {
        let (id, app) = (try TenantID(tenant), tenant == "acme" ? "com.example.chat" : "com.example.rival")
        stage.dispatch.rates.withLock { rates in
            for path in [\DeliveryRates.Counts.accepted, \.tried, \.sent] {
                rates.add(path, tenant: id, app: app, region: region, day: day)
            }
        }
    }

    @Test func `a tenant has its own counts, and the key for the metrics has all tenants'`() async throws {
        try await ServerStage.with { stage in
            let today = Int64(stage.now.milliseconds / 86_400_000)
            for (tenant, region, day) in [
                ("acme", "CH", today), ("acme", "CH", today), ("acme", "DE", today), ("rival", "FR", today),
                ("acme", "CH", today - 29), ("acme", "CH", today - 30), ("rival", "CH", today - 1),
            ] {
                try Self.count(stage, tenant, region, day: day)
            }
            let counts = #""accepted":2,"tried":2,"sent":2,"received":0,"unopened":0,"undeliverable":0}"#
            let own = await stage.read("/v1/statistics")
            #expect(
                own.text.hasPrefix(
                    #"{"day":"2026-11-01","deliveries":[{"tenant":"acme","topic":"com.example.chat","region":"CH","#
                        + #"\#(counts),"#
                        + #"{"tenant":"acme","topic":"com.example.chat","region":"DE","accepted":1,"#
                )
            )
            #expect(own.status == 200 && !own.text.contains("rival"))
            let days = await stage.read("/v1/statistics/days")
            #expect(days.json?["days"]?.elements?.compactMap { $0["day"]?.string } == ["2026-11-01", "2026-10-03"])
            #expect(!days.text.contains("region") && !days.text.contains("rival"))
            let one = await stage.read("/v1/statistics/days?day=2026-10-31", tenant: "rival")
            #expect(one.json?["days"]?.elements?.first?["deliveries"]?.elements?.first?["region"]?.string == "CH")
            let later = await stage.read("/v1/statistics/days?day=2031-02-28")
            #expect(later.text == #"{"days":[{"day":"2031-02-28","deliveries":[]}]}"#)
            let all = await Self.service(stage, "")
            #expect(all.text.contains(#""tenant":"rival""#) && all.text.contains(#""tenant":"acme""#))
            #expect(await Self.service(stage, "/days").json?["days"]?.elements?.count == 3)
            #expect(await stage.read("/v1/service/statistics").problem == "forbidden")
        }
    }

    @Test(arguments: [
        "day=2026-02-30", "day=2026-1-01", "day=", "day=2026-11-01&day=2026-11-01", "x=1", "day=2026-11-01Z",
    ])
    func `another query is refused`(_ query: String) async throws {
        try await ServerStage.with { stage in
            #expect(await stage.read("/v1/statistics/days?" + query).problem == "bad-request")
        }
    }

    @Test func `queues, suspensions, ends and the webhook's calls are those of the tenant`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            _ = await stage.post(Body.notification())
            stage.advance(.seconds(90))
            let tenant = try TenantID("acme")
            let app = SuspendedApp(
                tenant: tenant,
                bundleID: try BundleID("com.example.chat"),
                environment: .sandbox,
                reason: .invalidProviderToken
            )
            stage.dispatch.suspended.withLock { $0 = [app] }
            stage.context.certificates.withLock {
                $0 = CertificateEnds(server: Int64(stage.now.milliseconds / 1_000) + 3 * 86_400)
            }
            let now = stage.now
            stage.context.metrics.withLock { metrics in
                metrics.didCall(tenant, failure: "status 500", at: now)
                metrics.didCall(tenant, failure: nil, at: now)
                metrics.didFinish(.accepted, app: "com.example.chat", tenant: tenant, microseconds: 7_000)
            }
            let own = await stage.read("/v1/statistics")
            let normal = #"{"tenant":"acme","lane":"normal","queued":1,"sending":0,"parked":0,"dead":0"#
            #expect(own.text.contains(normal + #","oldest-seconds":90}"#))
            let suspended = own.json?["credentials"]?.elements?.compactMap { $0["suspended"]?.string }
            #expect(suspended == ["InvalidProviderToken"])
            #expect(own.json?["server-certificate"]?["days-left"]?.content == .integer(3))
            #expect(own.json?["webhooks"]?.elements?.first?["last-failure"]?.string == "status 500")
            #expect(own.json?["latency"]?["apns"]?["count"]?.content == .integer(1))
            let other = await stage.read("/v1/statistics", tenant: "rival")
            #expect(other.json?["latency"]?["apns"]?["count"]?.content == .integer(0))
            #expect(other.json?["webhooks"]?.elements?.isEmpty == true && !other.text.contains("suspended"))
        }
    }

    @Test func `a trace and a device have their notifications with the attempts, for the tenant alone`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await stage.register(tenant: "rival")
            let trace = "pjj7j-rDp1tYySyQLaVDCQ"
            let recipient = #"{"device":"d1","sealed":"\#(Body.sealed)","trace":"\#(trace)"}"#
            let ids = await stage.post(Body.notification(recipient)).ids
            let refused = Attempt(time: stage.now, connection: .answered, status: 400, reason: "BadTopic")
            try await stage.finish(.normal, refused, .dead(.rejected))
            _ = await stage.manage("POST", "/v1/dead-letters/replay", body: #"{"ids":["\#(ids[0])"]}"#)
            for path in ["/v1/traces/" + trace, "/v1/devices/d1/notifications"] {
                let found = await stage.read(path)
                #expect(found.ids.count == 2 && found.ids.last == ids.first, "\(path)")
                #expect(found.notifications.last?["attempts"]?.elements?.first?["reason"]?.string == "BadTopic")
                #expect(found.notifications.last?["replayed-as"]?.string == found.ids.first)
            }
            #expect(await stage.read("/v1/traces/" + trace, tenant: "rival").problem == "not-found")
            #expect(await stage.read("/v1/traces/x").problem == "not-found")
            #expect(await stage.read("/v1/devices/d1/notifications", tenant: "rival").text == #"{"notifications":[]}"#)
            #expect(await stage.read("/v1/devices/d2/notifications").problem == "not-found")
        }
    }
}
