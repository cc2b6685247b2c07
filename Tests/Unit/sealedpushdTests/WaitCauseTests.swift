import Envelope
import TestSupport
import Testing

/// The reported cause of a notification's wait.
struct WaitCauseTests {
    private static let chat = "com.example.chat"

    @Test func `what waits for its device says so, in memory too`() async throws {
        let site = try await DaemonSite()
        let limits = #""push-burst-of-device": 1, "pushes-per-minute-of-device": 1"#
        try site.write([DaemonSite.Tenant("acme", apps: Self.chat)], limits: limits)
        let process = try DaemonProcess(["--config", site.configuration])
        let lines = process.lines(to: "ready")
        let line = try #require(lines.first { $0.contains(#""event":"listening""#) }, "\(lines)")
        let port = try #require(DaemonProcess.value("port", in: line).flatMap { UInt16($0) })
        let caller = try await DaemonCaller(port, trusting: site.authority)
        let key = DaemonSite.key(of: "acme")
        let device = try await site.device(of: Self.chat)
        #expect(try await caller.send("PUT", "/v1/devices/d1", key, body: device).status == 201)
        var ids: [String] = []
        for _ in 0..<2 {
            let body = DaemonSite.notification(Self.chat, to: "d1")
            ids += try await caller.send("POST", "/v1/notifications", key, body: body).ids
        }
        var waiting = try await caller.send("GET", "/v1/notifications/" + ids[1], key)
        while waiting.json?["waits-for"]?.string != "device" {
            waiting = try await caller.send("GET", "/v1/notifications/" + ids[1], key)
        }
        #expect(waiting.json?["state"]?.string == "queued" && waiting.json?["attempt-count"]?.content == .integer(0))
        await site.arrivals.wait(for: [ids[0]])
        let sent = try await caller.send("GET", "/v1/notifications/" + ids[0], key)
        #expect(sent.json?["waits-for"] == nil)
        await caller.close()
        process.signal(9)
        process.wait()
    }
}
