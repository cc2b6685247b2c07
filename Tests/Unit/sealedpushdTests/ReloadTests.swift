import Envelope
import Glibc
import TestSupport
import Testing

/// Effects of SIGHUP while requests come and pushes go out without a restart; and of a tenant's rate.
struct ReloadTests {
    private static let chat = "com.example.chat"
    private static let second = "com.example.second"

    private static func start(_ site: DaemonSite) async throws -> (process: DaemonProcess, caller: DaemonCaller) {
        let process = try DaemonProcess(["--config", site.configuration])
        let lines = process.lines(to: "ready")
        let line = try #require(lines.first { $0.contains(#""event":"listening""#) }, "\(lines)")
        let port = try #require(DaemonProcess.value("port", in: line).flatMap { UInt16($0) })
        return (process, try await DaemonCaller(port, trusting: site.authority))
    }

    private static func reload(_ process: DaemonProcess) {
        process.signal(SIGHUP)
        let lines = process.lines(to: "audit")
        #expect(lines.last?.contains(#""act":"reload","outcome":"taken""#) == true, "\(lines)")
    }

    private static func register(
        _ id: String,
        of app: String,
        _ site: DaemonSite,
        _ caller: DaemonCaller,
        _ tenant: String
    )
        async throws
    {
        let body = try await site.device(of: app)
        let reply = try await caller.send("PUT", "/v1/devices/" + id, DaemonSite.key(of: tenant), body: body)
        #expect(reply.status == 201, "\(reply.text)")
    }

    private static func push(_ app: String, to device: String, _ site: DaemonSite, _ caller: DaemonCaller) async throws
    {
        let body = DaemonSite.notification(app, to: device)
        let reply = try await caller.send("POST", "/v1/notifications", DaemonSite.key(of: "acme"), body: body)
        #expect(reply.status == 202, "\(reply.text)")
        await site.arrivals.wait(for: reply.ids)
    }

    private static func series(_ caller: DaemonCaller) async throws -> [Substring] {
        let reply = try await caller.send("GET", "/v1/metrics", DaemonSite.key(of: "acme"))
        return reply.text.split(separator: "\n").filter { $0.hasPrefix("sealedpush_accepted_total{") }
    }

    @Test
    func `SIGHUP gives an app that is new its series, keeps the counts of others, and takes away one that is gone`()
        async throws
    {
        let site = try await DaemonSite()
        try site.write([DaemonSite.Tenant("acme", apps: Self.chat)])
        let (process, caller) = try await Self.start(site)
        try await Self.register("d1", of: Self.chat, site, caller, "acme")
        try await Self.push(Self.chat, to: "d1", site, caller)
        let first = #"sealedpush_accepted_total{topic="com.example.chat",lane="normal"} 1"#
        #expect(try await Self.series(caller) == [first[...]])

        try site.write([DaemonSite.Tenant("acme", apps: Self.chat, Self.second)])
        Self.reload(process)
        try await Self.register("d2", of: Self.second, site, caller, "acme")
        try await Self.push(Self.second, to: "d2", site, caller)
        let other = #"sealedpush_accepted_total{topic="com.example.second",lane="normal"} 1"#
        #expect(try await Self.series(caller) == [first[...], other[...]])

        try site.write([DaemonSite.Tenant("acme", apps: Self.second)])
        Self.reload(process)
        #expect(try await Self.series(caller) == [other[...]])
        let gone = try await caller.send(
            "POST",
            "/v1/notifications",
            DaemonSite.key(of: "acme"),
            body: DaemonSite.notification(Self.chat, to: "d1")
        )
        #expect(gone.status == 422)
        #expect(try await Self.series(caller) == [other[...]])
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }

    @Test func `SIGHUP changes sizes, quotas, rates and how many may connect, and drops nobody`() async throws {
        let site = try await DaemonSite()
        var acme = DaemonSite.Tenant("acme", apps: Self.chat)
        try site.write([acme])
        let (process, caller) = try await Self.start(site)
        let key = DaemonSite.key(of: "acme")
        try await Self.register("d1", of: Self.chat, site, caller, "acme")
        try await Self.push(Self.chat, to: "d1", site, caller)
        let long = "[" + String(repeating: " ", count: 20_000) + "]"
        let before = try await caller.send("POST", "/v1/notifications", key, body: long)
        #expect(before.problem != "body-too-large" && before.status != 413, "\(before.text)")

        acme.quota = 1
        try site.write([acme], limits: #""body-bytes": 16384, "connections": 1, \#(DaemonSite.rates)"#)
        Self.reload(process)
        let after = try await caller.send("POST", "/v1/notifications", key, body: long)
        #expect(after.status == 413 && after.problem == "body-too-large", "\(after.text)")
        let body = DaemonSite.notification(Self.chat, to: "d1")
        var over = try await caller.send("POST", "/v1/notifications", key, body: body)
        // If midnight has passed, the new day has its one.
        if over.status == 202 { over = try await caller.send("POST", "/v1/notifications", key, body: body) }
        #expect(over.status == 429 && over.problem == "quota-exceeded" && over.fields["retry-after"] != nil)
        let port = caller.port
        await #expect(throws: (any Error).self) { _ = try await DaemonCaller(port, trusting: site.authority) }

        // An invalid one changes nothing of this.
        try site.write([acme], limits: #""body-bytes": 1"#)
        process.signal(SIGHUP)
        #expect(process.lines(to: "audit").last?.contains("refused") == true)
        #expect(try await caller.send("POST", "/v1/notifications", key, body: long).status == 413)

        acme.quota = 1_000_000
        try site.write([acme])
        Self.reload(process)
        try await Self.push(Self.chat, to: "d1", site, caller)
        let another = try await DaemonCaller(port, trusting: site.authority)
        #expect(try await another.send("GET", "/v1/devices/d1/deliveries", key).json?["accepted"] != nil)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }

    @Test func `a tenant beyond its rate is told to wait, all that was taken arrives, and another notices nothing`()
        async throws
    {
        let site = try await DaemonSite()
        var acme = DaemonSite.Tenant("acme", apps: Self.chat)
        let rival = DaemonSite.Tenant("rival", apps: "com.example.rival")
        try site.write([acme, rival])
        let (process, caller) = try await Self.start(site)
        let other = try await DaemonCaller(caller.port, trusting: site.authority)
        try await Self.register("d1", of: Self.chat, site, caller, "acme")
        try await Self.register("d1", of: "com.example.rival", site, caller, "rival")
        // Before the reload no request has to wait.
        acme.requestsPerSecond = 5
        try site.write([acme, rival])
        Self.reload(process)

        var replies: [DaemonCaller.Reply] = []
        var rivals: [DaemonCaller.Reply] = []
        // Another hundred on a machine so slow that one takes 20 seconds.
        repeat {
            async let more = caller.sendAtOnce(
                100,
                "POST",
                "/v1/notifications",
                DaemonSite.key(of: "acme"),
                body: DaemonSite.notification(Self.chat, to: "d1")
            )
            rivals += try await other.sendAtOnce(
                50,
                "POST",
                "/v1/notifications",
                DaemonSite.key(of: "rival"),
                body: DaemonSite.notification("com.example.rival", to: "d1")
            )
            replies += try await more
        } while replies.allSatisfy { $0.status == 202 }
        #expect(rivals.allSatisfy { $0.status == 202 })
        let refused = replies.filter { $0.status != 202 }
        for reply in refused {
            #expect(reply.status == 429 && reply.problem == "too-many-requests", "\(reply.text)")
            #expect(reply.fields["retry-after"].flatMap { Int($0) } ?? 0 >= 1 && reply.ids.isEmpty)
        }
        let taken = (replies + rivals).flatMap(\.ids)
        #expect(taken.count == replies.count - refused.count + rivals.count && replies.count - refused.count >= 10)
        await site.arrivals.wait(for: taken)
        #expect(Set(site.arrivals.ids) == Set(taken.map { $0.lowercased() }), "what was refused goes nowhere")
        let reply = try await caller.send("GET", "/v1/metrics", DaemonSite.key(of: "rival"))
        #expect(reply.text.contains("sealedpush_refused_total{why=\"rate\"} \(refused.count)\n"))
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }
}
