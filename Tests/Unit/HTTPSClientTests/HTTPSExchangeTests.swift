import HTTPSClient
import Platform
import TestCertificates
import TestSupport
import TestWebServer
import Testing

/// One request and its answer, against servers right and wrong. Every test ends by the server's act, or by
/// cancellation.
struct HTTPSExchangeTests {
    private let authority: TestAuthority
    private let folder: TemporaryFolder
    private let authorityPath: String

    init() throws {
        authority = try TestAuthority()
        folder = try TemporaryFolder()
        authorityPath = try folder.makeFile("ca.pem", String(decoding: authority.certificatePEM, as: UTF8.self))
    }

    @Test func `an answer comes in pieces, its head first`() async throws {
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let server = try await serve { _ in [.answer("200 OK", ["X-A": "one"], body: body), .close] }
        let (head, bytes) = try await run(server)
        #expect(head.status == 200 && head["x-a"] == "one" && head["content-length"] == "300000")
        #expect(bytes == body)
    }

    @Test func `it asks for what it was told, and for nothing compressed`() async throws {
        let server = try await serve { _ in [.answer(body: []), .close] }
        var request = request(server, "/v1/blobs/a?b=c")
        request.fields = [("Range", "bytes=5-")]
        try await run(request)
        let asked = try #require(server.requests.first)
        #expect(asked.method == "GET" && asked.target == "/v1/blobs/a?b=c")
        #expect(asked.fields["range"] == "bytes=5-" && asked.fields["accept-encoding"] == nil)
        #expect(asked.fields["user-agent"] == nil && asked.fields["cookie"] == nil)
    }

    @Test func `a body goes out as long as it was said to be`() async throws {
        let server = try await serve { _ in [.answer("201 Created", ["Location": "/v1/uploads/1"], body: []), .close] }
        var request = request(server, "/v1/uploads")
        request.method = .patch
        request.body = HTTPSRequest.Body(byteCount: 0) { _ in nil }
        let head = try await run(request).head
        #expect(head.status == 201 && head["location"] == "/v1/uploads/1")
        let asked = try #require(server.requests.first)
        #expect(asked.method == "PATCH" && asked.fields["content-length"] == "0" && asked.fields["expect"] == nil)
    }

    @Test func `a server of another authority is not trusted`() async throws {
        let stranger = try TestAuthority(name: "Another authority").issue()
        let server = try await TestWebServer.start(stranger) { _ in [.answer(body: [1])] }
        await #expect(throws: HTTPSError.notTrusted) { try await run(server) }
        #expect(server.requests.isEmpty)
    }

    @Test func `a certificate for another name is not trusted`() async throws {
        let identity = try authority.issue(names: "DNS:files.example.com")
        let server = try await TestWebServer.start(identity) { _ in [.answer(body: [1])] }
        await #expect(throws: HTTPSError.notTrusted) { try await run(server) }
    }

    @Test(arguments: ["http://localhost:1/", "file:///etc/hostname", "ftp://localhost/"])
    func `a redirect is an answer like any other, and not followed (abuse case 58)`(_ location: String) async throws {
        let server = try await serve { _ in [.answer("302 Found", ["Location": location], body: []), .close] }
        #expect(try await run(server).head.status == 302)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["http://localhost:1/", "file:///etc/hostname", "ftp://localhost/", "gopher://localhost/"])
    func `nothing but https is asked`(_ url: String) async throws {
        await #expect(throws: HTTPSError.self) { try await run(HTTPSRequest(.get, url)) }
    }

    @Test func `what comes compressed stays so`() async throws {
        let server = try await serve { _ in
            [.answer("200 OK", ["Content-Encoding": "gzip"], body: [0x1F, 0x8B, 1]), .close]
        }
        #expect(try await run(server).bytes == [0x1F, 0x8B, 1])
    }

    @Test func `an answer that ends early is a lost connection, and what came is the beginning`() async throws {
        let server = try await serve { _ in [.answer("200 OK", ["Content-Length": "10"]), .send([1, 2, 3]), .close] }
        let (result, bytes) = await attempt(request(server))
        #expect(result == .failure(.connectionLost) && bytes == [1, 2, 3])
    }

    @Test func `a connection that is cut is a lost one`() async throws {
        let server = try await serve { _ in [.answer("200 OK", ["Content-Length": "10"]), .send([1, 2, 3]), .cut] }
        #expect(await attempt(request(server)).result == .failure(.connectionLost))
    }

    @Test func `whoever refuses a head gets no byte`() async throws {
        let server = try await serve { _ in [.answer(body: [1, 2, 3]), .hold] }
        let (result, bytes) = await attempt(request(server)) { _ in false }
        #expect(result == .failure(.refusedByCaller) && bytes.isEmpty)
    }

    @Test func `whoever has enough ends an endless answer (abuse case 53)`() async throws {
        let server = try await serve { _ in [.answer(), .sendForever([UInt8](repeating: 7, count: 1_000))] }
        let (result, bytes) = await attempt(request(server), byteCountMax: 100_000)
        #expect(result == .failure(.refusedByCaller) && bytes.count <= 100_000)
    }

    @Test func `an endless head is refused`() async throws {
        let server = try await serve { _ in
            [
                .send(Array("HTTP/1.1 200 OK\r\n".utf8)),
                .sendForever(Array("X-A: \(String(repeating: "a", count: 90))\r\n".utf8)),
            ]
        }
        #expect(await attempt(request(server)).result == .failure(.malformedAnswer))
    }

    @Test(arguments: [
        "hello\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n: a\r\n\r\n", "\u{0}\u{0}\r\n\r\n",
    ])
    func `what is not HTTP is refused`(_ text: String) async throws {
        let server = try await serve { _ in [.send(Array(text.utf8)), .close] }
        #expect(await attempt(request(server)).result == .failure(.malformedAnswer))
    }

    @Test func `nobody there is said so`() async throws {
        let port = try HeldPort.deaf()
        let result = await attempt(HTTPSRequest(.get, "https://127.0.0.1:\(port.number)/")).result
        #expect(result == .failure(.notReached))
    }

    @Test func `cancelling ends an answer that stalls (abuse case 64)`() async throws {
        let server = try await serve { _ in [.answer("200 OK", ["Content-Length": "100"]), .send([1]), .hold] }
        let exchange = HTTPSExchange()
        let result = await attempt(request(server), exchange) { _ in
            true
        } onBytes: { _ in
            exchange.cancel()
            return true
        }
        #expect(result == .failure(.cancelled))
    }

    @Test func `cancelling ends a handshake that stalls (abuse case 64)`() async throws {
        let port = try HeldPort.silent()
        let exchange = HTTPSExchange()
        var request = HTTPSRequest(.get, "https://127.0.0.1:\(port.number)/")
        // Long enough for any machine: only cancellation ends it.
        request.patience.connectSeconds = 86_400
        // It may come before the request runs or while that waits, with the same result.
        let task = Task { exchange.cancel() }
        #expect(await attempt(request, exchange) == .failure(.cancelled))
        await task.value
    }

    @Test func `a handshake that stalls ends by itself`() async throws {
        let port = try HeldPort.silent()
        var request = HTTPSRequest(.get, "https://127.0.0.1:\(port.number)/")
        request.patience.connectSeconds = 1
        #expect(await attempt(request).result == .failure(.connectionLost))
    }

    @Test func `a pinned name is connected to where the pin says`() async throws {
        let identity = try authority.issue(names: "DNS:pinned.example.com")
        let server = try await TestWebServer.start(identity) { _ in [.answer(body: [1]), .close] }
        var request = HTTPSRequest(.get, "https://pinned.example.com:\(server.port)/")
        request.trust = .file(path: authorityPath)
        request.patience = Self.patience
        // No test listens at the first: the system refuses it, and the second is tried.
        let addresses: [[UInt8]] = [[127, 0, 0, 78], [127, 0, 0, 1]]
        request.pin = .init(host: "pinned.example.com", port: server.port, addresses: addresses)
        #expect(try await run(request).bytes == [1])
    }

    /// Each leads to the server by another address than the pin's, which is not the server's.
    @Test(arguments: ["localhost", "127.0.0.1"], [[192, 0, 2, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]])
    func `no socket goes where the pin does not, however libcurl came there (abuse case 59)`(
        _ host: String,
        _ address: [UInt8]
    ) async throws {
        let server = try await serve { _ in [.answer(body: [1])] }
        var request = HTTPSRequest(.get, "https://\(host):\(server.port)/")
        request.trust = .file(path: authorityPath)
        request.patience = Self.patience
        // A pin of another name, so that libcurl resolves this one itself.
        request.pin = .init(host: "pinned.example.com", port: server.port, addresses: [address])
        #expect(await attempt(request).result == .failure(.notReached))
        #expect(server.requests.isEmpty)
    }

    @Test func `no socket goes to another port of a pinned address`() async throws {
        let server = try await serve { _ in [.answer(body: [1])] }
        var request = request(server)
        request.pin = .init(host: "localhost", port: server.port ^ 1, addresses: [[127, 0, 0, 1]])
        #expect(await attempt(request).result == .failure(.notReached))
        #expect(server.requests.isEmpty)
    }

    @Test func `an answer that drips ends when its time is over`() async throws {
        let server = try await serve { _ in [.answer(), .sendForever([7])] }
        var request = request(server)
        request.patience.wholeSeconds = 1
        #expect(await attempt(request).result == .failure(.connectionLost))
    }

    @Test func `an answer that stalls ends by itself`() async throws {
        let server = try await serve { _ in [.answer("200 OK", ["Content-Length": "100"]), .send([1]), .hold] }
        var request = request(server)
        request.patience.stallSeconds = 1
        #expect(await attempt(request).result == .failure(.connectionLost))
    }
}

// Ways to the server.
extension HTTPSExchangeTests {
    private func serve(_ script: @escaping TestWebServer.Script) async throws -> TestWebServer {
        try await TestWebServer.start(try authority.issue(), script: script)
    }

    /// No deadline may fire on a starved machine.
    private static let patience: HTTPSRequest.Patience = {
        var patience = HTTPSRequest.Patience()
        (patience.connectSeconds, patience.stallSeconds) = (600, 600)
        return patience
    }()

    private func request(_ server: TestWebServer, _ target: String = "/") -> HTTPSRequest {
        var request = HTTPSRequest(.get, server.url(target))
        request.trust = .file(path: authorityPath)
        request.patience = Self.patience
        return request
    }

    @discardableResult
    private func run(_ server: TestWebServer) async throws -> (head: HTTPSHead, bytes: [UInt8]) {
        try await run(request(server))
    }

    @discardableResult
    private func run(_ request: HTTPSRequest) async throws -> (head: HTTPSHead, bytes: [UInt8]) {
        let heads = Guarded<HTTPSHead?>(nil)
        let (result, bytes) = await attempt(request) { head in
            heads.withLock { $0 = head }
            return true
        }
        _ = try result.get()
        return (try #require(heads.withLock { $0 }), bytes)
    }

    private func attempt(
        _ request: HTTPSRequest,
        byteCountMax: Int = .max,
        onHead: @escaping @Sendable (HTTPSHead) -> Bool = { _ in true }
    ) async -> (result: Result<Int, HTTPSError>, bytes: [UInt8]) {
        let bytes = Guarded<[UInt8]>([])
        let result = await attempt(request, HTTPSExchange(), onHead: onHead) { piece in
            bytes.withLock { bytes in
                guard bytes.count + piece.byteCount <= byteCountMax else { return false }
                unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
                return true
            }
        }
        return (result, bytes.withLock { $0 })
    }

    /// Runs on a thread of its own, because it blocks.
    private func attempt(
        _ request: HTTPSRequest,
        _ exchange: HTTPSExchange,
        onHead: @escaping @Sendable (HTTPSHead) -> Bool = { _ in true },
        onBytes: @escaping @Sendable (RawSpan) -> Bool = { _ in true }
    ) async -> Result<Int, HTTPSError> {
        await withCheckedContinuation { continuation in
            let hasThread = DetachedThread.start(stackByteCount: 1 << 20) {
                continuation.resume(
                    returning: Result { () throws(HTTPSError) in
                        try exchange.run(request, onHead: onHead, onBytes: onBytes).status
                    }
                )
            }
            precondition(hasThread)
        }
    }
}
