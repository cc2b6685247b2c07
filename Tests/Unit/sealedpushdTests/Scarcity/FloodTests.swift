import APNS
import Envelope
import Glibc
import PushService
import TestCertificates
import TestSupport
import Testing

struct FloodTests {
    /// 127.0.2.1 and the addresses behind it.
    private static func elsewhere(_ count: UInt32) -> [UInt32] { (1...count).map { 0x7F00_0200 + $0 } }

    private static let rate = #", "requests-per-second-of-address": 1000000"#

    private static func residentByteCount(_ service: RunningService) throws -> Int {
        let words = try ProcessLimits.text(service.process.id, "statm").split(separator: " ")
        return try #require(words.count > 1 ? Int(words[1]) : nil) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func post(_ path: String, _ body: String, more: [String]) -> String {
        let fields = ["Host: localhost", "Content-Type: application/json", "Content-Length: \(body.utf8.count)"] + more
        return "POST \(path) HTTP/1.1\r\n" + fields.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    @Test func `bodies of strangers that never end take nothing from a tenant's posts, over either port`() async throws
    {
        let site = try await ServiceSite(limits: Self.rate)
        let service = try site.start()
        try await site.register("d1", at: service)
        let before = try Self.residentByteCount(service)
        let key = "Authorization: Bearer \(ServiceSite.apiKey)"
        let message = Self.post("/v1/notifications", RunningService.notification(to: ["d1"]), more: [key])
        for path in ["/v1/receipts", "/v1/resends"] {
            let flood = try BodyFlood(service.securePort, from: Self.elsewhere(1), path)
            for _ in 0..<250 { #expect(try service.send(["d1"]).status == 202) }
            let client = try TestClient(port: service.securePort)
            for _ in 0..<250 {
                client.send(message)
                #expect(client.response()?.status == 202)
            }
            // A megabyte of bodies, and the connections' own; all bodies together would be 355 MB.
            let more = try Self.residentByteCount(service) - before
            #expect(isSanitized || more < 64 << 20, "\(more) bytes more")
            flood.end()
        }
        #expect(service.stop() == 0)
    }

    @Test func `phones behind one address deliver their receipts while a flood comes from elsewhere`() async throws {
        let site = try await ServiceSite(limits: Self.rate, app: #""receipts": true,"#)
        let service = try site.start()
        try await site.register("d1", at: service)
        let capabilities = try (0..<100).map { number in
            try #require(ReceiptCapability(rawRepresentation: [UInt8(number)] + Array(1...15)))
        }
        let ids = try capabilities.map { capability in
            let hash = ReceiptHash(of: capability).text
            return try #require(try service.send(["d1"], more: #", "receipt-hash": "\#(hash)""#).ids.first)
        }
        await site.board.when { $0.answered.isSuperset(of: ids) }
        let flood = try BodyFlood(service.securePort, from: Self.elsewhere(30), "/v1/receipts")
        for capability in capabilities {
            let phone = try TestClient(port: service.securePort, from: 0x7F00_0101)
            let receipts = #"{"receipts": [{"capability": "\#(capability.text)", "code": "opened"}]}"#
            phone.send(Self.post("/v1/receipts", receipts, more: []))
            #expect(phone.response()?.status == 204)
        }
        for id in ids { #expect(try service.state(id) == "delivered") }
        flood.end()
        #expect(service.stop() == 0)
    }

    @Test func `connections that say nothing keep nobody out`() async throws {
        let site = try await ServiceSite(limits: #", "connections": 100, "connections-of-address": 1000"#)
        let service = try site.start()
        var silent = try (0..<300).map { _ in try PlainCaller(port: service.securePort) }
        let client = try TestClient(port: service.securePort)
        client.send("GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.response()?.status == 200)
        // The oldest went first.
        #expect(silent.removeFirst().rest().isEmpty)
        silent = []
        #expect(service.stop() == 0)
    }

    @Test(.disabled(if: isSanitized, "a sanitizer has descriptors of its own"))
    func `connections that say nothing keep nobody out where descriptors are few`() async throws {
        let site = try await ServiceSite(limits: #", "connections-of-address": 1000"#)
        let service = try site.start(wrapper: ["/usr/bin/prlimit", "--nofile=64"])
        let silent = try (0..<100).map { _ in try PlainCaller(port: service.securePort) }
        let client = try TestClient(port: service.securePort)
        client.send("GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.response()?.status == 200)
        withExtendedLifetime(silent) {}
        #expect(service.stop() == 0)
    }

    @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the service's"))
    func `memory goes back to the system after a flood`() async throws {
        let site = try await ServiceSite(limits: Self.rate)
        let service = try site.start()
        let before = try Self.residentByteCount(service)
        let flood = try BodyFlood(
            service.securePort,
            from: [0x7F00_0001],
            "/v1/notifications",
            key: ServiceSite.apiKey,
            connectionCount: 16
        )
        try await service.until { try Self.residentByteCount(service) > before + 48 << 20 }
        flood.end()
        try await service.until { try Self.residentByteCount(service) < before + 24 << 20 }
        #expect(service.stop() == 0)
    }
}
