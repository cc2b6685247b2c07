import HTTP
import Primitives
import ServiceParts
import TestSupport
import Testing

@testable import PushService

/// Values of the dashboard; Tests/Conformance/Service/dashboard-page is its page and its listener.
struct DashboardTests {
    private static let second: Int64 = 1_000_000_000
    private var random = SeededRandom(seed: 0xDA5B)

    private func key(_ number: Int) -> APIKeyHash { APIKeyHash(of: Array("key \(number)".utf8)) }

    @Test mutating func `a session ends after twelve hours, and when it is signed out`() throws {
        var sessions = DashboardSessions()
        let secret = try #require(sessions.begin(key(1), now: 5, random: &random))
        let other = try #require(sessions.begin(key(2), now: 5, random: &random))
        let (id, end) = (DashboardSessions.ID(of: secret), 5 + DashboardSessions.seconds * Self.second)
        #expect(secret.utf8.count == 43 && secret != other)
        #expect(sessions.key(of: id, now: end - 1) == key(1) && sessions.key(of: id, now: end) == nil)
        #expect(sessions.secondsLeft(of: id, now: 5 + Self.second) == DashboardSessions.seconds - 1)
        #expect(sessions.key(of: DashboardSessions.ID(of: secret + "A"), now: 6) == nil)
        sessions.end(id)
        #expect(sessions.key(of: id, now: 6) == nil && sessions.count == 1)
    }

    @Test mutating func `a key has only so many sessions, the oldest ends, and all keys together have only so many`()
        throws
    {
        var sessions = DashboardSessions()
        var secrets: [String] = []
        for time in 0...Int64(DashboardSessions.countMaxOfKey) {
            secrets.append(try #require(sessions.begin(key(0), now: time, random: &random)))
        }
        let ids = secrets.map { DashboardSessions.ID(of: $0) }
        #expect(sessions.key(of: ids[0], now: 99) == nil && sessions.key(of: ids[1], now: 99) == key(0))
        var number = 1
        while sessions.count < DashboardSessions.countMax {
            #expect(sessions.begin(key(number), now: 100, random: &random) != nil)
            number += 1
        }
        #expect(sessions.begin(key(number), now: 100, random: &random) == nil)
        let later = 101 + DashboardSessions.seconds * Self.second
        #expect(sessions.begin(key(number), now: later, random: &random) != nil && sessions.count == 1)
    }

    @Test func `a cookie is for this host over TLS, and two of one name are none`() {
        func request(_ cookie: String) -> HTTPRequest {
            HTTPRequest(method: "GET", path: "/", fields: [.init("Cookie", cookie)])
        }
        let field = DashboardCookie.field("secret", isTLS: true, isSecure: true).value
        #expect(
            field == "__Host-sealedpush-dashboard=secret; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"
        )
        #expect(DashboardCookie.field("", isTLS: false, isSecure: false).value.contains("Max-Age=0; HttpOnly"))
        let name = "sealedpush-dashboard"
        #expect(DashboardCookie.secret(request("a=b; \(name)=x;c=d"), isTLS: false) == "x")
        #expect(DashboardCookie.secret(request("__Host-\(name)=y; \(name)=x"), isTLS: true) == "y")
        for cookie in ["", "\(name)", "x\(name)=x", "\(name)=x; \(name)=y"] {
            #expect(DashboardCookie.secret(request(cookie), isTLS: false) == nil, "\(cookie)")
        }
    }

    private static func read(_ dashboard: String) throws -> DashboardConfiguration? {
        let with = #""dashboard": \#(dashboard), "loopback-port": 8080"#
        return try ExampleConfiguration.read(replacing: #""loopback-port": 8080"#, with: with).dashboard
    }

    @Test func `it is off unless it is configured, and then of this machine`() throws {
        #expect(try ExampleConfiguration.read().dashboard == nil)
        let own = try #require(try Self.read(#"{"port": 8444}"#))
        #expect(own.address == nil && own.port == 8_444 && own.hosts == ["127.0.0.1", "localhost"])
        let wide = try #require(try Self.read(#"{"port": 1, "address": "::", "hosts": ["push.example.com"]}"#))
        #expect(wide.address == "::" && wide.hosts == ["push.example.com"])
        #expect(try Self.read(#"{"port": 1, "address": "2001:DB8::1"}"#)?.hosts == ["[2001:db8::1]"])
    }

    @Test(arguments: [
        (#"{}"#, "/dashboard/port: missing"), (#"{"port": 1, "address": "0.0.0.0"}"#, "/dashboard/hosts: missing"),
        (#"{"port": 1, "hosts": ["Push.example.com"]}"#, "/dashboard/hosts/0: expected"),
        (#"{"port": 1, "hosts": ["push.example.com:8444"]}"#, "/dashboard/hosts/0: expected"),
        (#"{"port": 1, "host": "x"}"#, "did you mean 'hosts'?"),
    ])
    func `a fault says where and what to write`(_ dashboard: String, _ expected: String) throws {
        let error = #expect(throws: ConfigurationErrors.self) { try Self.read(dashboard) }
        #expect(error?.faults.contains { "\($0)".contains(expected) } == true, "\(error?.faults.map { "\($0)" } ?? [])")
    }
}
