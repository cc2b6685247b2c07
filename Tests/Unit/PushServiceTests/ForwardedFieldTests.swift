import HTTP
import Networking
import TestSupport
import Testing

@testable import PushService

struct ForwardedFieldTests {
    private static func fields(_ name: String, _ lines: [String]) -> HeaderBlock {
        var fields = HeaderBlock()
        for line in lines { fields.append(Array(name.utf8), Array(line.utf8)) }
        return fields
    }

    private static func hops(_ lines: String...) -> [String] {
        ForwardedField.forwarded.hops(fields("forwarded", lines)).map { $0.map { "\($0.bytes)" } ?? "none" }
    }

    private static func text(_ address: String) -> String { IPAddress(address).map { "\($0.bytes)" } ?? "none" }

    @Test func `the nearest hop comes first, and each line is read by itself`() {
        #expect(Self.hops() == [])
        #expect(Self.hops("for=192.0.2.1") == [Self.text("192.0.2.1")])
        #expect(
            Self.hops("for=192.0.2.1;proto=http;by=203.0.113.43 , FOR=\"198.51.100.17:4711\"", "by=_x;for=192.0.2.9")
                == [Self.text("192.0.2.9"), Self.text("198.51.100.17"), Self.text("192.0.2.1")]
        )
        #expect(Self.hops("For=\"[2001:db8:cafe::17]:4711\"") == [Self.text("2001:db8:cafe::17")])
        #expect(Self.hops("for=\"[2001:db8::1]\";a=\"x\\\"y,for=1.1.1.1\"") == [Self.text("2001:db8::1")])
        #expect(Self.hops(";for=192.0.2.1;") == [Self.text("192.0.2.1")])
    }

    @Test(arguments: [
        "for=unknown", "for=_hidden", "", "proto=https", "for=192.0.2.1;for=192.0.2.2", "for=\"192.0.2.1", "for=",
        "for=[2001:db8::1]", "for=2001:db8::1", "for=192.0.2.1:80", "for=\"192.0.2.1:\"", "for=\"192.0.2.1:123456\"",
        "for=\"2001:db8::1\"", "for=\"[192.0.2.1]\"", "for=\"[2001:db8::1\"", "for=\"[2001:db8::1]x\"",
        "for =192.0.2.1",
        "for= 192.0.2.1", "for=192.0.2.1 x", "for=\"192.0.2.1\\", "for=192.0.2.256", "for=\"192.0.2.1\u{0}\"",
        "=192.0.2.1",
        "for=192.0.2.1,", "for=192.0.2.1, ,", "for=192.0.2.1;proto",
    ])
    func `what names no address names nobody, and nothing behind it counts`(_ line: String) {
        #expect(Self.hops("for=192.0.2.7", line) == ["none"])
    }

    @Test func `a client cannot reach into what its proxy added`() {
        // The proxy appended the last element, or a line of its own.
        #expect(Self.hops("for=\"1.1.1.1, for=192.0.2.1") == ["none"])
        #expect(Self.hops("for=1.1.1.1;x=\"", "for=192.0.2.1").first == Self.text("192.0.2.1"))
        #expect(Self.hops("for=1.1.1.1, for=192.0.2.1").first == Self.text("192.0.2.1"))
    }

    @Test func `no more hops are kept than proxies stand in a row`() {
        let many = (0..<2_000).map { _ in "for=1.1.1.1" }.joined(separator: ",")
        let hops = Self.hops(many, "for=192.0.2.1")
        #expect(hops.count == ForwardedField.hopCountMax && hops.first == Self.text("192.0.2.1"))
    }

    @Test func `addresses between commas are read where the setting says so`() {
        let fields = Self.fields("x-forwarded-for", ["1.1.1.1, unknown", "2001:db8::1 ,\t192.0.2.1"])
        let hops = ForwardedField.xForwardedFor.hops(fields)
        #expect(hops == [IPAddress("192.0.2.1"), IPAddress("2001:db8::1"), nil])
        #expect(ForwardedField.forwarded.hops(fields) == [])
        #expect(ForwardedField.xForwardedFor.hops(Self.fields("x-forwarded-for", ["1.1.1.1,"])) == [nil])
    }

    @Test func `any bytes are read to their end`() {
        var random = SeededRandom(seed: RunSeed.here())
        let pieces = [
            "for=", "192.0.2.1", "\"", "[", "]", "\\", ",", ";", " ", "::1", "=", "a", "\u{0}", ":80", "\u{1F600}",
        ]
        for _ in 0..<3_000 {
            let line = (0..<Int.random(in: 0...10, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            for field in ForwardedField.allCases {
                let hops = field.hops(Self.fields(field.rawValue, [line.joined()]))
                #expect(hops.count <= ForwardedField.hopCountMax)
                #expect(hops.dropLast().allSatisfy { $0 != nil })
            }
        }
    }

    // MARK: The client's address

    private static let proxies = ProxyConfiguration(
        ranges: [IPRange("10.0.0.0/8"), IPRange("2001:db8:aa::/48")].compactMap { $0 },
        field: .forwarded
    )

    private static func client(_ peer: String?, _ lines: [String], _ proxies: ProxyConfiguration? = proxies)
        -> IPAddress?
    {
        var clients = ClientAddresses()
        return clients.client(of: HTTPHead(fields: fields("forwarded", lines), remoteAddress: peer), proxies)
    }

    @Test func `only a proxy that was named is believed`() {
        #expect(Self.client("192.0.2.5", ["for=192.0.2.1"]) == IPAddress("192.0.2.5"))
        #expect(Self.client("10.0.0.1", ["for=192.0.2.1"]) == IPAddress("192.0.2.1"))
        #expect(Self.client("::ffff:10.0.0.1", ["for=192.0.2.1"]) == IPAddress("192.0.2.1"))
        #expect(Self.client("10.0.0.1", ["for=192.0.2.1"], nil) == IPAddress("10.0.0.1"))
        #expect(Self.client(nil, ["for=192.0.2.1"]) == nil)
    }

    @Test func `the client is the first from the right that is no such proxy`() {
        let line = "for=1.1.1.1, for=192.0.2.1, for=\"[2001:db8:aa::7]\", for=10.9.9.9"
        #expect(Self.client("10.0.0.1", [line]) == IPAddress("192.0.2.1"))
        #expect(Self.client("10.0.0.1", ["for=10.0.0.2, for=10.0.0.3"]) == IPAddress("10.0.0.2"))
    }

    @Test func `without an address behind it the proxy is the client`() {
        #expect(Self.client("10.0.0.1", []) == IPAddress("10.0.0.1"))
        #expect(Self.client("10.0.0.1", ["for=1.1.1.1", "for=unknown"]) == IPAddress("10.0.0.1"))
        #expect(Self.client("10.0.0.1", ["for=1.1.1.1, for=_x, for=10.0.0.4"]) == IPAddress("10.0.0.4"))
    }

    @Test func `a proxy on this machine may use the loopback port`() {
        let proxies = ProxyConfiguration(ranges: [IPRange("127.0.0.1/32")].compactMap { $0 }, field: .forwarded)
        #expect(Self.client(nil, ["for=192.0.2.1"], proxies) == IPAddress("192.0.2.1"))
        #expect(Self.client(nil, [], proxies) == nil)
        #expect(Self.client(nil, ["for=unknown"], proxies) == IPAddress("127.0.0.1"))
    }

    @Test func `memory is counted for a network of 56 bits, and rates for one of 64`() {
        #expect(IPAddress("192.0.2.1")?.network == [192, 0, 2, 1])
        #expect(IPAddress("::ffff:192.0.2.1")?.network == [192, 0, 2, 1])
        #expect(IPAddress("2001:db8:0:ff::1")?.network == IPAddress("2001:db8::2")?.network)
        #expect(IPAddress("2001:db8:0:100::1")?.network != IPAddress("2001:db8::2")?.network)
        #expect(IPAddress("2001:db8:0:ff::1")?.client != IPAddress("2001:db8::2")?.client)
    }
}
