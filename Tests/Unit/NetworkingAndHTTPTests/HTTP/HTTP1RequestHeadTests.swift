import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTP1RequestHeadTests {
    /// As the connection reads it: to the head's end, then the head.
    private func read(_ text: String) throws(HTTPRequestError) -> HTTP1RequestHead? {
        let bytes = Array(text.utf8)
        var end = HTTP1HeadEnd()
        switch end.find(in: bytes.span) {
        case .incomplete: return nil
        case .malformed: throw .headMalformed
        case .head(let byteCount): return try HTTP1RequestHead(Array(bytes[..<byteCount]), fieldCountMax: 10)
        }
    }

    @Test func `names are in lower case, values are as they came, blanks around them are gone`() throws {
        let head = try #require(
            try read(
                "PUT /A?b HTTP/1.1\r\nHOST: X\r\nX-Name:\t Some, Value \t\r\nEmpty:\r\nContent-Length: 12\r\n\r\nrest"
            )
        )
        let fields = head.fields.map {
            (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
        }
        let expected = [
            (":method", "PUT"), (":path", "/A?b"), ("host", "X"), ("x-name", "Some, Value"), ("empty", ""),
            ("content-length", "12"),
        ]
        #expect(fields.map(\.0) == expected.map(\.0) && fields.map(\.1) == expected.map(\.1))
        #expect(head.bodyByteCount == 12 && !head.closes && !head.expectsContinue)
    }

    @Test(arguments: [
        ("GET / HTTP/1.0\r\n\r\n", true), ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, CLOSE\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: x\r\nConnection: closed\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: x\r\nConnection: a\r\nConnection:  close \r\n\r\n", true),
    ])
    func `a connection ends where the client or its version says so`(_ text: String, _ closes: Bool) throws {
        #expect(try read(text)?.closes == closes)
    }

    @Test(arguments: [
        ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", HTTPRequestError.headMalformed),
        ("GET / HTTP/1.1 \r\nHost: x\r\n\r\n", .headMalformed),
        ("G(T / HTTP/1.1\r\nHost: x\r\n\r\n", .headMalformed),
        (" / HTTP/1.1\r\nHost: x\r\n\r\n", .headMalformed),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", .versionUnknown),
        ("GET / HTTP/1.2\r\nHost: x\r\n\r\n", .versionUnknown),
        ("GET / http/1.1\r\nHost: x\r\n\r\n", .headMalformed),
        ("GET / HTTP/1.1\nHost: x\n\n", .headMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n", .headMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n", .headMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\0\r\n\r\n", .headMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\u{7F}\r\n\r\n", .headMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\n A: b\r\n\r\n", .headMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\n:path: /b\r\n\r\n", .headMalformed),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", .headMalformed),
        ("GET / HTTP/1.1\r\n\r\n", .hostMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n", .hostMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .lengthMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\n", .lengthMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n", .lengthMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n", .lengthMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999999999999\r\n\r\n", .lengthMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .lengthMalformed),
        ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n", .lengthMissing),
        ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .codingUnknown),
        ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .lengthMissing),
        ("GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n", .expectationUnknown),
        ("GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "A: b\r\n", count: 10) + "\r\n", .headTooLarge),
    ])
    func `what two readers might read in two ways is refused`(_ text: String, _ refusal: HTTPRequestError) {
        #expect(throws: refusal) { _ = try self.read(text) }
    }

    @Test func `a head in pieces ends where it ends in one piece`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let parts = ["\r\n", "\r", "\n", "a", "GET / HTTP/1.1", "\r\n\r\n", "Host: x"]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            let bytes = Array(text.joined().utf8)
            var whole = HTTP1HeadEnd()
            let expected = whole.find(in: bytes.span)
            var pieces = HTTP1HeadEnd()
            var finding = HTTP1HeadEnd.Finding.incomplete
            var count = 0
            while finding == .incomplete, count < bytes.count {
                count = min(bytes.count, count + Int.random(in: 1...5, using: &random))
                finding = pieces.find(in: Array(bytes[..<count]).span)
            }
            #expect(finding == expected, "seed \(seed): \(bytes)")
        }
    }

    @Test func `a prefix of a head is no head, and no change of one byte traps`() throws {
        let text = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
        for count in 0..<text.utf8.count {
            #expect(try read(String(decoding: Array(text.utf8)[..<count], as: UTF8.self)) == nil)
        }
        #expect(try read(text) != nil)
        for index in 0..<text.utf8.count {
            for byte in UInt8.min...UInt8.max {
                var changed = Array(text.utf8)
                changed[index] = byte
                var end = HTTP1HeadEnd()
                guard case .head(let byteCount) = end.find(in: changed.span) else { continue }
                // Read or refused; the test is that it returns.
                _ = try? HTTP1RequestHead(Array(changed[..<byteCount]), fieldCountMax: 10)
            }
        }
    }
}
