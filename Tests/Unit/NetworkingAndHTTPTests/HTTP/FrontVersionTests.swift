import Glibc
import TestCertificates
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

@Suite struct FrontVersionTests {
    @Test func `a client of HTTP 2 is served`() async throws {
        let stage = try await FrontStage()
        let client = try await stage.connect()
        let response = try await client.send(.make("PUT", "/a?b=c", body: Array("hi".utf8)))
        #expect(response.status == 200 && response.text == "PUT /a?b=c hi")
        #expect(response.headers["content-length"].map { String(decoding: $0, as: UTF8.self) } == "13")
        await client.close()
        await stage.front.close()
    }

    @Test(arguments: [[8] + Array("http/1.1".utf8), []] as [[UInt8]])
    func `a client of HTTP 1, with ALPN and without, is served`(_ alpn: [UInt8]) async throws {
        let stage = try await FrontStage()
        let client = try TestClient(port: stage.port, alpn: alpn)
        for number in 0..<3 {
            client.send("POST /a/\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
            #expect(try #require(client.response()).text == "POST /a/\(number) hi")
        }
        #expect(client.chosenProtocol == (alpn.isEmpty ? "" : "http/1.1"))
        await stage.front.close(gracefully: false)
    }

    @Test func `who speaks neither is refused`() async throws {
        let stage = try await FrontStage()
        #expect(throws: TestAuthority.Failure.self) {
            try TestClient(port: stage.port, alpn: [6] + Array("spdy/1".utf8))
        }
        await stage.front.close()
    }

    @Test func `TLS callers are known by their address, those of the loopback port are not`() async throws {
        let stage = try await FrontStage(isPlain: true) { head in
            .answer(HTTPAnswer(status: 200, body: Array((head.remoteAddress ?? "nobody").utf8)))
        }
        let client = try stage.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.text == "127.0.0.1")
        let other = try await stage.connect()
        #expect(try await other.send(.post("/")).text == "127.0.0.1")
        let port = try #require(stage.front.loopbackPort)
        #expect(try PlainCaller.call(port, "GET /", ["Host: x"]).body == "nobody")
        await stage.front.close(gracefully: false)
    }

    @Test func `every port that was asked for is served`() async throws {
        let stage = try await FrontStage()
        let front = try await HTTPFront.start(
            listens: [.init(address: "127.0.0.1", port: 0), .init(address: "localhost", port: 0)],
            context: stage.loopback.serverContext,
            loop: stage.loopback.serverLoop,
            limits: .patient,
            application: ClosureApplication(FrontStage.mirror)
        )
        #expect(front.ports.count == 2 && front.loopbackPort == nil)
        let client = try TestClient(port: front.ports[0])
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.text == "GET /a ")
        await front.close(gracefully: false)
        await stage.front.close()
    }

    @Test func `where one port is taken, none is listened on`() async throws {
        let stage = try await FrontStage()
        await #expect(throws: TransportError.addressInUse(port: stage.port)) {
            try await HTTPFront.start(
                listens: [.init(address: "127.0.0.1", port: 0), .init(address: "127.0.0.1", port: stage.port)],
                context: stage.loopback.serverContext,
                loop: stage.loopback.serverLoop,
                application: ClosureApplication(FrontStage.mirror)
            )
        }
        await stage.front.close()
    }

    @Test func `HEAD has the length of GET and no body in both versions`() async throws {
        let stage = try await FrontStage()
        let client = try stage.client()
        client.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response(isHead: true)?["content-length"] == "8")
        #expect(client.response()?.text == "GET /b ")
        let other = try await stage.connect()
        let head = try await other.send(.make("HEAD", "/a"))
        #expect(head.body.isEmpty && head.headers["content-length"]?.elementsEqual("8".utf8) == true)
        await other.close()
        await stage.front.close(gracefully: false)
    }

    @Test func `an answer without a body has no length in either version`() async throws {
        let stage = try await FrontStage { _ in .answer(HTTPAnswer(status: 204, body: [1])) }
        let client = try stage.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in 0..<2 {
            let response = try #require(client.response(isHead: true))
            #expect(response.status == 204 && response["content-length"] == nil)
        }
        let other = try await stage.connect()
        let response = try await other.send(.post("/"))
        #expect(response.status == 204 && response.body.isEmpty && response.headers["content-length"] == nil)
        await stage.front.close(gracefully: false)
    }

    @Test func `a certificate that was renewed is shown to who comes, and nobody is dropped`() async throws {
        let stage = try await FrontStage()
        let before = try await stage.connect()
        #expect(try await before.send(.post("/")).status == 200)
        let authority = try TestAuthority(name: "Another authority")
        await stage.front.replaceContext(try FrontStage.context(authority))
        await #expect(throws: TransportError.self) { _ = try await stage.connect() }
        let trusting = try TLSContext.client(trust: .pem(authority.certificatePEM), alpn: ["h2"])
        let loopback = try Loopback(server: stage.loopback.serverContext, client: trusting)
        let after = try await loopback.connect(to: stage.port)
        #expect(try await after.send(.post("/")).status == 200)
        #expect(try await before.send(.post("/")).status == 200)
        await before.close()
        await after.close()
        await stage.front.close()
    }

    @Test(.enabled(if: Curl.isThere, "apt-get install curl"), arguments: ["--http2", "--http1.1"])
    func `curl sees no error when it is answered before it has sent its body`(_ version: String) async throws {
        let stage = try await FrontStage(FrontStage.closed)
        let folder = try TemporaryFolder()
        // More than windows and sockets hold.
        let file = try folder.makeFile("body", String(repeating: "a", count: 8 << 20))
        let url = "https://127.0.0.1:\(stage.port)/"
        let output = folder.path("answer")
        let words = [
            Curl.path, "-sSk", version, "--data-binary", "@\(file)", "-o", output, "-w", "%{http_code}",
            "--fail-early", url,
        ]
        let (status, text) = try Curl.run(words)
        #expect(status == 0 && text == "401", "exit status \(status): \(text)")
        #expect(await stage.highestBodyMemory() <= 256 << 10)
        await stage.front.close(gracefully: false)
    }
}

/// A client that is not ours.
enum Curl {
    static let path = "/usr/bin/curl"
    static let isThere = unsafe access(path, X_OK) == 0

    /// - Returns: its exit status and output.
    static func run(_ words: [String]) throws -> (status: Int32, text: String) {
        let (reader, writer) = try Spawn.pipe()
        defer { close(reader) }
        let id: pid_t
        do {
            defer { close(writer) }
            id = try Spawn.start(words, descriptors: [nil, writer, nil])
        }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = unsafe read(reader, &chunk, chunk.count), count > 0 { text += chunk[..<count] }
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        return (status >> 8 & 0xFF, String(decoding: text, as: UTF8.self))
    }
}
