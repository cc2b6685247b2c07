import TestCertificates
import TestSupport
import Testing

@testable import Transport

/// Clients that want to be read in two ways, to be kept, or to be too much.
@Suite struct HTTP1HostileTests {
    /// Requests after which nothing on the connection may be believed.
    static let ambiguous: [(name: String, text: String)] = [
        ("two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nhi"),
        ("the same length twice", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi"),
        ("a list of lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 2\r\n\r\nhi"),
        ("a length with a sign", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\nhi"),
        ("a negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -2\r\n\r\nhi"),
        ("a hexadecimal length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x2\r\n\r\nhi"),
        ("an empty length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\nhi"),
        (
            "length and transfer coding",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        ("a transfer coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"),
        ("an unknown transfer coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n"),
        (
            "two transfer codings",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        ("a space before the colon", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 2\r\n\r\nhi"),
        ("a tab before the colon", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"),
        ("a line without a colon", "GET / HTTP/1.1\r\nHost: x\r\nnothing\r\n\r\n"),
        ("a carriage return in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\rContent-Length: 9\r\n\r\n"),
        ("a carriage return in a name", "GET / HTTP/1.1\r\nHost: x\r\nA\rB: c\r\n\r\n"),
        ("a name that is no token", "GET / HTTP/1.1\r\nHost: x\r\nA(b): c\r\n\r\n"),
        ("an empty name", "GET / HTTP/1.1\r\nHost: x\r\n: c\r\n\r\n"),
        ("a first line that goes on", "GET / HTTP/1.1\r\n Host: y\r\nHost: x\r\n\r\n"),
        ("a length that goes on", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n 2\r\n\r\nhi"),
        ("no host", "GET / HTTP/1.1\r\n\r\n"),
        ("two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"),
        ("HEAD with a body", "HEAD / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"),
        ("an absolute target", "GET https://x/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a target with a space", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a target with a fragment", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a target beyond ASCII", "GET /é HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("version 1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n"),
        ("version 2.0", "GET / HTTP/2.0\r\nHost: x\r\n\r\n"),
        ("no version", "GET /\r\n\r\n"),
        ("an unknown method", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a method that is not served", "OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("TRACE", "TRACE / HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ]

    @Test(arguments: ambiguous.indices)
    func `is refused, and nothing behind it is read`(_ index: Int) throws {
        let (name, text) = Self.ambiguous[index]
        let loopback = try HTTP1Loopback()
        let client = try loopback.client()
        client.send(text + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = client.response()
        #expect((400...599).contains(response?.status ?? 0), "\(name): \(response?.statusLine ?? "no answer")")
        let rest = String(decoding: client.rest(), as: UTF8.self)
        #expect(!(response?.text ?? "").contains("/smuggled") && !rest.contains("HTTP/1.1"), "\(name): \(rest)")
    }

    @Test func `a tunnel is not even refused`() throws {
        let loopback = try HTTP1Loopback()
        let client = try loopback.client()
        client.send("CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.rest().isEmpty)
    }

    @Test func `a body that is too large is a 413`() throws {
        var limits = HTTP1Loopback.patient
        limits.bodyByteCountMax = 1_000
        let loopback = try HTTP1Loopback(limits: limits)
        let client = try loopback.client()
        client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
        client.send([UInt8](repeating: 1, count: 1_001))
        #expect(client.response()?.status == 413)
        #expect(client.rest().isEmpty)
        let next = try loopback.client()
        next.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "a", count: 1_000))
        #expect(next.response()?.status == 200)
    }

    @Test(arguments: ["9223372036854775807", "18446744073709551618"])
    func `a length that never comes to an end ends with its time`(_ length: String) throws {
        var limits = HTTP1Loopback.patient
        limits.requestDeadline = .milliseconds(100)
        let loopback = try HTTP1Loopback(limits: limits)
        let client = loopback.hastyClient()
        client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n")
        while client.send("GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n") {}
        #expect(client.rest().isEmpty)
    }

    @Test(arguments: ["one long line", "many fields"]) func `too much of a head is refused`(_ kind: String) throws {
        var limits = HTTP1Loopback.patient
        limits.headerByteCountMax = 4_096
        let loopback = try HTTP1Loopback(limits: limits)
        let client = try loopback.client()
        let fields = kind == "many fields" ? String(repeating: "A: b\r\n", count: 1_000) : "A: "
        client.send("GET / HTTP/1.1\r\nHost: x\r\n" + fields + String(repeating: "a", count: 8_192))
        #expect([400, 413, 431].contains(client.response()?.status))
        #expect(client.rest().isEmpty)
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\n", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"])
    func `a request that does not end ends the connection`(_ text: String) throws {
        var limits = HTTP1Loopback.patient
        limits.requestDeadline = .milliseconds(50)
        let loopback = try HTTP1Loopback(limits: limits)
        let client = loopback.hastyClient()
        client.send(text)
        #expect(client.rest().isEmpty)
    }

    @Test func `a byte now and then does not keep a connection`() throws {
        var limits = HTTP1Loopback.patient
        limits.requestDeadline = .milliseconds(100)
        let loopback = try HTTP1Loopback(limits: limits)
        let client = loopback.hastyClient()
        client.send("GET / HTTP/1.1\r\nHost: x\r\nA: ")
        // Bytes go on coming for as long as the server takes them; few enough to stay below its limit.
        var count = 0
        while count < 10_000, client.send("a") { count += 1 }
        #expect(client.rest().isEmpty)
    }

    @Test func `a keep-alive connection without a request ends`() throws {
        var limits = HTTP1Loopback.patient
        limits.requestDeadline = .milliseconds(200)
        let loopback = try HTTP1Loopback(limits: limits)
        var client = loopback.hastyClient()
        // On a busy machine the time may be over before the first request is sent.
        while !client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") || client.response()?.status != 200 {
            client = loopback.hastyClient()
        }
        #expect(client.rest().isEmpty)
    }

    @Test func `who comes when all places are taken is served when one is free`() async throws {
        var limits = HTTP1Loopback.patient
        limits.connectionCountMax = 3
        let loopback = try HTTP1Loopback(limits: limits)
        var clients = try (0..<3).map { _ in try loopback.client() }
        let port = loopback.server.port
        let waiting = Task {
            let client = try TestClient(port: port)
            client.send("GET /waited HTTP/1.1\r\nHost: x\r\n\r\n")
            return client.response()?.status
        }
        for client in clients {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.response()?.status == 200)
        }
        clients.removeLast()
        #expect(try await waiting.value == 200)
    }

    @Test func `random bytes never end the server`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let loopback = try HTTP1Loopback()
        let words = [
            "GET", "POST", " ", "/", "HTTP/1.1", "\r\n", "\r", "\n", ":", "Host: x", "Content-Length: 3", "\0",
            "\u{FF}",
            "Transfer-Encoding: chunked", "Connection: close", "Expect: 100-continue", "Expect: x", "0", "\r\n\r\n",
            "%00",
        ]
        for _ in 0..<200 {
            let client = try loopback.client()
            let count = Int.random(in: 1...40, using: &random)
            client.send((0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined())
        }
        let client = try loopback.client()
        client.send("GET /still HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.text == "GET /still ", "seed \(seed)")
    }
}
