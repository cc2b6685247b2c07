import TestSupport
import Testing

@testable import Networking

@Suite struct ProxyNegotiationTests {
    private typealias Step = ProxyNegotiation.Step

    private func negotiation(_ url: String, host: String = "api.push.apple.com") throws -> ProxyNegotiation {
        try ProxyNegotiation(Proxy(url: url), host: host, port: 443)
    }

    private func steps(_ negotiation: ProxyNegotiation, _ pieces: [[UInt8]]) throws(ProxyError) -> [Step] {
        var negotiation = negotiation
        var steps: [Step] = []
        for piece in pieces { steps.append(try negotiation.receive(piece.span)) }
        return steps
    }

    private func http(_ reply: String) throws -> [Step] {
        try steps(negotiation("http://p:1"), [Array(reply.utf8)])
    }

    @Test(
        arguments: [
            ("api.push.apple.com", "api.push.apple.com:443"), ("192.0.2.1", "192.0.2.1:443"),
            ("2001:db8::1", "[2001:db8::1]:443"),
        ]
    )
    func `CONNECT names the target twice`(_ host: String, _ authority: String) throws {
        let opening = try negotiation("http://p:1", host: host).opening()
        let expected = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
        #expect(String(decoding: opening, as: UTF8.self) == expected)
    }

    @Test(arguments: [("u:p", "dTpw"), ("u:pp", "dTpwcA=="), ("u:ppp", "dTpwcHA="), ("u", "dTo=")])
    func `Basic credentials are padded as RFC 4648 says`(_ userInfo: String, _ encoded: String) throws {
        let opening = String(decoding: try negotiation("http://\(userInfo)@p:1").opening(), as: UTF8.self)
        #expect(opening.hasSuffix("\r\nProxy-Authorization: Basic \(encoded)\r\n\r\n"))
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200\r\n\r\n", "HTTP/1.1 299 \u{e9}\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 200 \r\nA:\r\nB: \t x\r\n\r\n",
        ]
    )
    func `any 2xx opens the tunnel`(_ reply: String) throws {
        #expect(try http(reply) == [.open])
        let pieces = reply.utf8.map { [$0] }
        let waits = [Step](repeating: .wait, count: pieces.count - 1)
        #expect(try steps(negotiation("http://p:1"), pieces) == waits + [.open])
    }

    @Test(arguments: [100, 101, 199, 300, 302, 403, 407, 502, 999])
    func `any other status is told, whatever follows`(_ status: Int) {
        #expect(throws: ProxyError.refused(status: status)) { try http("HTTP/1.1 \(status) X\r\n\u{0}") }
    }

    @Test(
        arguments: [
            "X", "http/1.1 200 OK\r\n", "HTTP/2 200\r\n", "HTTP/1.x 200 OK\r\n", "HTTP/1.1 20\r\n", "HTTP/1.1 2000\r\n",
            "HTTP/1.1 099 X\r\n", "HTTP/1.1  200\r\n", "HTTP/1.1 +20 OK\r\n", "HTTP/1.1 200 OK\n", "HTTP/1.1 200 O\rK",
            "HTTP/1.1 200 \u{0}\r\n", "\r\n", "HTTP/1.1 200 OK\r\n folded: x\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
            "HTTP/1.1 200 OK\r\n: x\r\n", "HTTP/1.1 200 OK\r\nA : x\r\n", "HTTP/1.1 200 OK\r\nA: \u{7f}\r\n",
        ]
    )
    func `a head that is none is refused`(_ reply: String) {
        #expect(throws: ProxyError.replyMalformed) { try http(reply) }
    }

    @Test func `a head of 8 KiB is taken, and one byte more is not`() throws {
        let start = "HTTP/1.1 200 OK\r\nA: "
        func reply(_ byteCount: Int) -> String {
            start + String(repeating: "x", count: byteCount - start.utf8.count - 4) + "\r\n\r\n"
        }
        #expect(try http(reply(8192)) == [.open])
        #expect(throws: ProxyError.replyTooLong(byteCountMax: 8192)) { try http(reply(8193)) }
    }

    @Test func `bytes behind the end are refused, in the same piece and in a later one`() throws {
        #expect(throws: ProxyError.bytesBehindReply) { try http("HTTP/1.1 200 OK\r\n\r\nx") }
        let pieces = ["HTTP/1.1 200 OK\r\n\r\n", "x"].map { Array($0.utf8) }
        #expect(throws: ProxyError.bytesBehindReply) { try steps(negotiation("http://p:1"), pieces) }
    }

    // MARK: SOCKS5

    private let named: [UInt8] = [5, 1, 0, 3, 18] + Array("api.push.apple.com".utf8) + [1, 187]

    @Test(
        arguments: [
            ("192.0.2.1", [UInt8](arrayLiteral: 5, 1, 0, 1, 192, 0, 2, 1, 1, 187)),
            ("2001:db8::1", [5, 1, 0, 4, 0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 187]),
        ]
    )
    func `an address is asked for as an address`(_ host: String, _ request: [UInt8]) throws {
        let negotiation = try negotiation("socks5://p:1", host: host)
        #expect(negotiation.opening() == [5, 1, 0])
        #expect(try steps(negotiation, [[5, 0]]) == [.send(request)])
    }

    @Test func `a name is left to the proxy`() throws {
        #expect(try steps(negotiation("socks5://p:1"), [[5], [0]]) == [.wait, .send(named)])
    }

    @Test func `name and password go only to a proxy that asks for them`() throws {
        let negotiation = try negotiation("socks5://me:secret@p:1")
        #expect(negotiation.opening() == [5, 2, 0, 2])
        #expect(try steps(negotiation, [[5, 0]]) == [.send(named)])
        let authentication: [UInt8] = [1, 2] + Array("me".utf8) + [6] + Array("secret".utf8)
        #expect(try steps(negotiation, [[5, 2], [1], [0]]) == [.send(authentication), .wait, .send(named)])
    }

    @Test(
        arguments: [
            [UInt8](arrayLiteral: 5, 0, 0, 1, 1, 2, 3, 4, 5, 6),
            [5, 0, 0, 4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18],
            [5, 0, 0, 3, 1, 65, 0, 80], [5, 0, 0, 3, 0, 0, 80],
            [5, 0, 0, 3, 255] + [UInt8](repeating: 65, count: 257),
        ]
    )
    func `a reply ends where its address says`(_ reply: [UInt8]) throws {
        let waits = [Step](repeating: .wait, count: reply.count - 1)
        #expect(
            try steps(negotiation("socks5://p:1"), [[5, 0]] + reply.map { [$0] }) == [.send(named)] + waits + [.open]
        )
        #expect(throws: ProxyError.bytesBehindReply) {
            try steps(negotiation("socks5://p:1"), [[5, 0], reply + [0]])
        }
    }

    @Test(
        arguments: [
            ([[UInt8]](arrayLiteral: [4]), ProxyError.replyMalformed), ([[5, 2]], .replyMalformed),
            ([[5, 1]], .replyMalformed), ([[5, 0xFF]], .noCommonAuthentication), ([[5, 0, 5]], .bytesBehindReply),
            ([[5, 0], [4]], .replyMalformed), ([[5, 0], [5, 1]], .refusedBySOCKS(code: 1)),
            ([[5, 0], [5, 255]], .refusedBySOCKS(code: 255)), ([[5, 0], [5, 0, 1]], .replyMalformed),
            ([[5, 0], [5, 0, 0, 2, 0]], .replyMalformed),
        ]
    )
    func `what a proxy must not say is refused`(_ pieces: [[UInt8]], _ error: ProxyError) {
        #expect(throws: error) { try steps(negotiation("socks5://p:1"), pieces) }
    }

    @Test(
        arguments: [
            ([[UInt8]](arrayLiteral: [5, 2], [5]), ProxyError.replyMalformed),
            ([[5, 2], [1, 1]], .credentialsRefused),
            ([[5, 2], [1, 0, 5]], .bytesBehindReply),
        ]
    )
    func `what a proxy must not say to credentials is refused`(_ pieces: [[UInt8]], _ error: ProxyError) {
        #expect(throws: error) { try steps(negotiation("socks5://a:b@p:1"), pieces) }
    }

    @Test(arguments: ["http://a:b@p:1", "socks5://a:b@p:1"])
    func `random replies end in a step or an error, and in bounded memory`(_ url: String) throws {
        let seed = RunSeed.here()
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("HTTP/1. 20\r\n:a".utf8) + [0, 1, 2, 3, 5, 255]
        for _ in 0..<2000 {
            var negotiation = try negotiation(url)
            var count = 0
            do throws(ProxyError) {
                while count < 10_000 {
                    let piece = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                        alphabet.randomElement(using: &generator) ?? 0
                    }
                    count += piece.count
                    _ = try negotiation.receive(piece.span)
                }
                Issue.record("seed \(seed): no end")
            } catch {
                #expect(count <= 8200)
            }
        }
    }
}
