import Glibc
import TestSupport
import Testing

/// A client that keeps sending although everything is refused.
struct RefusalTests {
    private static let requestCount = 1_000

    @Test func `who is refused again and again has every answer and goes on, and another notices nothing`() async throws
    {
        let site = try await DaemonSite()
        var acme = DaemonSite.Tenant("acme", apps: "com.example.chat")
        acme.requestsPerSecond = 1
        try site.write([acme, DaemonSite.Tenant("rival", apps: "com.example.rival")])
        let process = try DaemonProcess(["--config", site.configuration])
        let line = try #require(process.lines(to: "ready").first { $0.contains(#""event":"listening""#) })
        let port = try #require(DaemonProcess.value("port", in: line).flatMap { UInt16($0) })
        let callers = [
            try await DaemonCaller(port, trusting: site.authority),
            try await DaemonCaller(port, trusting: site.authority),
        ]
        let other = try await DaemonCaller(port, trusting: site.authority)
        let path = "/v1/devices/d1/deliveries"

        // More at once than the burst allows: both are held back where this machine is fast enough for that.
        async let first = callers[0].sendAtOnce(Self.requestCount, "GET", path, DaemonSite.key(of: "acme"))
        async let second = callers[1].sendAtOnce(Self.requestCount, "GET", path, DaemonSite.key(of: "acme"))
        for _ in 0..<20 {
            let reply = try await other.send("GET", path, DaemonSite.key(of: "rival"))
            #expect(reply.status != 429, "\(reply.text)")
        }
        let replies = try await first + second
        #expect(replies.count == 2 * Self.requestCount)
        #expect(replies.count { $0.status == 429 } > Self.requestCount)
        for reply in replies where reply.status == 429 { #expect(reply.fields["retry-after"] != nil) }
        for caller in callers {
            // The rate was the tenant's: the connection has done nothing wrong.
            #expect(try await caller.send("GET", path, DaemonSite.key(of: "rival")).status != 429)
        }
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }
}
