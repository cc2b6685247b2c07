import Glibc
import TestCertificates
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

@Suite struct FrontHTTP1Tests {
    @Test func `requests that come at once are answered in their order`() async throws {
        let stage = try await FrontStage()
        let client = try stage.client()
        client.send((0..<200).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        for number in 0..<200 { #expect(client.response()?.text == "GET /\(number) ") }
        await stage.front.close(gracefully: false)
    }

    @Test func `a request may come byte by byte, and an empty line before it`() async throws {
        let stage = try await FrontStage()
        let client = try stage.client()
        for byte in "\r\nPOST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi".utf8 { client.send([byte]) }
        #expect(client.response()?.text == "POST /slow hi")
        await stage.front.close(gracefully: false)
    }

    @Test func `empty lines before a request may come in any pieces`() async throws {
        let stage = try await FrontStage()
        let (client, other) = (try stage.client(), try stage.client())
        client.send("\r")
        // It is read after the first piece, as it comes later to the same loop.
        other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(other.response()?.text == "GET /other ")
        client.send("\n\r\nGET /one HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.text == "GET /one ")
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: ["GET /last HTTP/1.0\r\n\r\n", "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"])
    func `a connection ends with the answer after which it shall`(_ text: String) async throws {
        let stage = try await FrontStage()
        let client = try stage.client()
        client.send(text + "GET /more HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = try #require(client.response())
        #expect(response.text == "GET /last " && response["connection"] == "close")
        #expect(client.rest().isEmpty)
        await stage.front.close()
    }

    /// RFC 9112 section 3.2.2.
    @Test(arguments: [
        ("GET http://x/a?b=c HTTP/1.1", "GET /a?b=c "), ("GET HTTPS://other.example:443/a HTTP/1.1", "GET /a "),
        ("GET http://[::1]:8080/a HTTP/1.1", "GET /a "), ("GET http://x HTTP/1.1", "GET / "),
        ("GET http://x?q HTTP/1.1", "GET /?q "), ("OPTIONS http://x:1 HTTP/1.1", "OPTIONS * "),
        ("GET http://x/http://y/ HTTP/1.1", "GET /http://y/ "),
    ])
    func `a target with a scheme and a host is the path behind them`(_ line: String, _ text: String) async throws {
        let stage = try await FrontStage()
        let client = try stage.client()
        client.send("\(line)\r\nHost: x\r\n\r\n" + "GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.text == text)
        #expect(client.response()?.text == "GET /next ")
        await stage.front.close(gracefully: false)
    }

    @Test func `the host of such a target stands in the place of the field's`() throws {
        let head = "GET https://a.example:8443/x HTTP/1.1\r\nA: b\r\nHost: b.example\r\n\r\n"
        let read = try HTTP1RequestHead(Array(head.utf8), fieldCountMax: 9)
        #expect(read.fields["host"].map { String(decoding: $0, as: UTF8.self) } == "a.example:8443")
        #expect(read.fields[":path"].map { String(decoding: $0, as: UTF8.self) } == "/x")
        #expect(read.fields.count(of: "host") == 1 && read.fields["a"] != nil)
    }

    @Test func `HTTP 2: a path with a scheme before it is refused, by nghttp2`() async throws {
        let stage = try await FrontStage()
        let client = try await stage.connect()
        await #expect(throws: TransportError.self) { try await client.send(.make("GET", "http://x/a")) }
        #expect(try await client.send(.make("GET", "/a")).text == "GET /a ")
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: AmbiguousRequest.all.indices)
    func `is refused with a problem, and nothing behind it is read`(_ index: Int) async throws {
        let (name, text) = AmbiguousRequest.all[index]
        let stage = try await FrontStage()
        let client = try stage.client()
        client.send(text + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = try #require(client.response(), "\(name)")
        #expect((400...599).contains(response.status), "\(name): \(response.statusLine)")
        #expect(response["content-type"] == "application/problem+json" && response["connection"] == "close", "\(name)")
        #expect(client.rest().isEmpty, "\(name)")
        await stage.front.close()
    }

    @Test(arguments: ["BREW", "OPTIONS", "TRACE", "PATCH", "x"])
    func `a method is the application's to judge, in both versions`(_ method: String) async throws {
        let stage = try await FrontStage()
        let client = try stage.client()
        client.send("\(method) /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.text == "\(method) /a ")
        let other = try await stage.connect()
        #expect(try await other.send(.make(method, "/a")).text == "\(method) /a ")
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: ["/a#b", "/é"]) func `a target that is none is refused alike in both versions`(_ path: String)
        async throws
    {
        let stage = try await FrontStage()
        let client = try stage.client()
        client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        let refused = try #require(client.response())
        let other = try await stage.connect()
        let response = try await other.send(.make("GET", path))
        #expect(refused.status == 400 && response.status == 400 && response.body == refused.body)
        await stage.front.close(gracefully: false)
    }

    @Test func `HTTP 2: another host beside the authority is refused`() async throws {
        let stage = try await FrontStage()
        let client = try await stage.connect()
        var request = HTTP2Request.make("GET", "/a")
        request.headers.append("host", "LOCALHOST")
        #expect(try await client.send(request).status == 200)
        request = .make("GET", "/a")
        request.headers.append("host", "elsewhere")
        #expect(try await client.send(request).status == 400)
        await stage.front.close(gracefully: false)
    }

    @Test func `a tunnel is refused in both versions`() async throws {
        let stage = try await FrontStage()
        let client = try stage.client()
        client.send("CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n")
        #expect(client.response()?.status == 501)
        let other = try await stage.connect()
        var headers = HeaderBlock()
        headers.append(":method", "CONNECT")
        headers.append(":authority", "x:1")
        #expect(try await other.send(HTTP2Request(headers: headers, body: [])).status == 501)
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: ["one long line", "many fields"]) func `too much of a head is refused`(_ kind: String) async throws
    {
        var limits = HTTPLimits.patient
        limits.headerByteCountMax = 4_096
        let stage = try await FrontStage(limits: limits)
        let client = try stage.client()
        let fields =
            kind == "many fields"
            ? String(repeating: "A: b\r\n", count: 101) + "\r\n" : "A: " + String(repeating: "a", count: 8_192)
        client.send("GET / HTTP/1.1\r\nHost: x\r\n" + fields)
        #expect(client.response()?.status == 431)
        #expect(client.rest().isEmpty)
        let other = try await stage.connect()
        var request = HTTP2Request.make("GET", "/a")
        for _ in 0..<(kind == "many fields" ? 101 : 1) {
            request.headers.append("a", [UInt8](repeating: 0x61, count: kind == "many fields" ? 1 : 5_000))
        }
        #expect(try await other.send(request).status == 431)
        await stage.front.close(gracefully: false)
    }

    @Test func `a field of an answer that would end its line is left out`() async throws {
        let stage = try await FrontStage { _ in
            var fields = HeaderBlock()
            fields.append("x-bad", Array("a\r\nx-smuggled: b".utf8))
            fields.append("x-good", "c")
            return .answer(HTTPAnswer(status: 200, fields: fields))
        }
        let client = try stage.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = try #require(client.response())
        #expect(response["x-good"] == "c" && response["x-bad"] == nil && response["x-smuggled"] == nil)
        await stage.front.close(gracefully: false)
    }

    @Test(.enabled(if: PythonMirror.isThere, "apt-get install python3"))
    func `whatever is taken is taken as Python's server takes it`() async throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let other = try PythonMirror()
        let stage = try await FrontStage(isPlain: true)
        let port = try #require(stage.front.loopbackPort)
        let words = [
            "GET /a HTTP/1.1\r\n", "POST /b HTTP/1.1\r\n", "PUT /c?d HTTP/1.0\r\n", "Host: x\r\n",
            "Content-Length: 3\r\n",
            "Content-Length: 0\r\n", "abc", "\r\n", "A: b\r\n", "\r", "\n", " ", "\t", ":", "x",
            "Transfer-Encoding: chunked\r\n",
            "Connection: close\r\n", "Host: x\r\n\r\n", "Content-Length: 3\r\n\r\nabc",
            "GET /e HTTP/1.1\r\nHost: x\r\n\r\n",
        ]
        // Whatever the lengths add up to, one of these is read as a request.
        let end = String(repeating: "\r\n\r\nGET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", count: 3)
        var takenCount = 0
        for _ in 0..<400 {
            let count = Int.random(in: 1...9, using: &random)
            let whole = [
                "GET /e HTTP/1.1\r\nHost: x\r\n\r\n", "PUT /f HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
            ]
            let first = (0..<Int.random(in: 0...2, using: &random)).map { _ in whole.randomElement(using: &random) ?? ""
            }
            let text =
                first.joined() + (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined() + end
            let (mine, theirs) = try (Self.answers(port, text), Self.answers(other.port, text))
            let common = min(mine.count, theirs.count)
            #expect(mine[..<common] == theirs[..<common], "seed \(seed): \(text.debugDescription)")
            takenCount += common
        }
        // Fewer would prove nothing.
        #expect(takenCount > 100)
        await stage.front.close(gracefully: false)
    }

    private static func answers(_ port: UInt16, _ text: String) throws -> [String] {
        let client = try PlainCaller(port: port)
        client.write(text)
        var answers: [String] = []
        var rest = client.rest()[...]
        while rest.hasPrefix("HTTP/1.1 200"), let head = rest.firstRange(of: "\r\n\r\n") {
            let lines = rest[..<head.lowerBound].lowercased().split(separator: "\r\n")
            let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
            let body = rest[head.upperBound...].utf8.prefix(length)
            answers.append(String(body) ?? "")
            rest = rest[body.endIndex...]
        }
        return answers
    }
}

/// An HTTP/1.1 server of Python's that echoes each request.
private final class PythonMirror {
    private static let path = "/usr/bin/python3"
    static let isThere = unsafe access(path, X_OK) == 0
    private static let program = """
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        class Mirror(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                text = f"{self.command} {self.path} ".encode() + body
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            do_GET = do_POST = do_PUT = answer
            def log_message(self, *words): pass
        server = ThreadingHTTPServer(("127.0.0.1", 0), Mirror)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    let port: UInt16
    private let process: LineProcess

    init() throws {
        process = try LineProcess(Self.path, ["-c", Self.program])
        port = try #require(process.line().flatMap { UInt16($0) })
    }
}
