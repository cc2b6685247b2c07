import Synchronization
import TestSupport
import Testing

/// A tenant whose notifications go nowhere, beside one whose do.
struct TenantShareTests {
    private static let stuck = "com.example.stuck"
    private static let chat = "com.example.chat"

    @Test func `with one tenant's queue full and posts of it in plenty, another loses none of 1,000`() async throws {
        let site = try await DaemonSite()
        let nowhere = try HeldPort.deaf()
        var stuck = DaemonSite.Tenant("stuck", apps: Self.stuck)
        stuck.port = nowhere.number
        let limits = DaemonSite.rates + #", "backlog": 1000, "in-flight": 400, "pushes-per-minute-of-device": 60000"#
        try site.write([stuck, DaemonSite.Tenant("quick", apps: Self.chat)], limits: limits)
        let process = try DaemonProcess(["--config", site.configuration])
        let lines = process.lines(to: "ready")
        let line = try #require(lines.first { $0.contains(#""event":"listening""#) }, "\(lines)")
        let port = try #require(DaemonProcess.value("port", in: line).flatMap { UInt16($0) })
        let callers = try await (
            DaemonCaller(port, trusting: site.authority), DaemonCaller(port, trusting: site.authority)
        )
        for (tenant, app) in [("stuck", Self.stuck), ("quick", Self.chat)] {
            let body = try await site.device(of: app)
            let reply = try await callers.0.send("PUT", "/v1/devices/d1", DaemonSite.key(of: tenant), body: body)
            #expect(reply.status == 201, "\(reply.text)")
        }
        @Sendable func post(_ count: Int, of tenant: String, _ app: String, _ caller: DaemonCaller) async throws
            -> [DaemonCaller.Reply]
        {
            let body = DaemonSite.notification(app, to: "d1")
            return try await caller.sendAtOnce(
                count,
                "POST",
                "/v1/notifications",
                DaemonSite.key(of: tenant),
                body: body
            )
        }
        while try await !post(250, of: "stuck", Self.stuck, callers.0).contains(where: { $0.status == 429 }) {}
        let flood = Flood()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !flood.isOver.load(ordering: .relaxed) {
                    _ = try await post(32, of: "stuck", Self.stuck, callers.0)
                }
            }
            var ids: [String] = []
            for _ in 0..<10 {
                let replies = try await post(100, of: "quick", Self.chat, callers.1)
                #expect(replies.count { $0.status == 202 } == 100, "\(replies.first { $0.status != 202 }?.text ?? "")")
                ids += replies.flatMap(\.ids)
            }
            flood.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
            await site.arrivals.wait(for: ids)
        }
        for caller in [callers.0, callers.1] { await caller.close() }
        process.signal(9)
        process.wait()
    }
}

private final class Flood: Sendable { let isOver = Atomic(false) }
