import BlobStore
import Envelope
import Platform
import Primitives
import TestCertificates
import TestSupport
import Testing

@testable import AttachmentUpload
@testable import HTTP
@testable import Networking

struct UploaderTests {
    private let place: TemporaryFolder
    private let authority: TestAuthority
    private let uploader: AttachmentUploader

    init() throws {
        place = try TemporaryFolder()
        authority = try TestAuthority()
        let path = try place.makeFile("ca.pem", String(decoding: authority.certificatePEM, as: UTF8.self))
        uploader = AttachmentUploader(trust: .file(path: path), retryDelay: .milliseconds(1), connectSeconds: 600)
    }

    private static let token = "token"

    private func server(
        _ handle: @escaping @Sendable (HTTPRequest) -> HTTPAnswer
    ) async throws -> HTTPFront {
        try await server(HTTPRequestApplication(body: { _ in (8 << 20, .keyed(owner: "acme")) }, answer: handle))
    }

    private func server(_ application: HTTPRequestApplication) async throws -> HTTPFront {
        let identity = try authority.issue()
        let context = unsafe try TLSContext.server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["h2", "http/1.1"]
        )
        return try await .start(
            listens: [.init(address: "127.0.0.1", port: 0)],
            context: context,
            loop: try EventLoop(),
            application: application
        )
    }

    private func service(byteCountMax: Int = 100_000_000) throws -> BlobService {
        let hash = Base64URL.string(SHA256.hash(Array(Self.token.utf8)))
        return BlobService(
            folder: try BlobFolder.open(place.path("blobs"), now: BlobService.systemTime()),
            tenants: try TenantList("acme \(hash) \(byteCountMax) 4")
        )
    }

    private func host(_ server: HTTPFront, token: String = Self.token) throws -> BlobHost {
        try #require(BlobHost(url: "https://localhost:\(server.ports[0])", token: token))
    }

    /// A file in which every 500 bytes differ from all others, with its bytes.
    private func file(_ byteCount: Int) throws -> (path: String, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for index in stride(from: 0, to: max(0, byteCount - 1), by: 500) {
            bytes[index] = UInt8(truncatingIfNeeded: index / 500)
            bytes[index + 1] = UInt8(truncatingIfNeeded: index / 500 >> 8)
        }
        let path = try place.makeFile("stored", "")
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
        return (path, bytes)
    }

    private func content(_ url: AttachmentURL, _ service: BlobService) throws -> [UInt8] {
        let response = service.response(to: HTTPRequest(method: "GET", path: url.path))
        guard case .file(let slice) = response.body else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(slice.byteCount))
        let count = unsafe pread(slice.descriptor, &bytes, bytes.count, off_t(slice.offset))
        return count == bytes.count ? bytes : []
    }

    @Test(arguments: [0, 1, 1 << 20, 1 << 20 + 1, 3_500_000])
    func `a file of any length arrives as it is`(_ byteCount: Int) async throws {
        let service = try service()
        let server = try await server(service.application)
        let (path, bytes) = try file(byteCount)
        let url = try await uploader.upload(path, to: host(server), lifetime: .seconds(3_600))
        #expect(url.text.hasPrefix("https://localhost:\(server.ports[0])/v1/blobs/"))
        #expect(try content(url, service) == bytes)
    }

    @Test(arguments: ["http://localhost", "https://", "https://localhost/path", "localhost", ""])
    func `an address that is not a host's is refused`(_ url: String) {
        #expect(BlobHost(url: url, token: Self.token) == nil)
    }

    @Test func `parts and answers that are lost cost no byte`() async throws {
        let service = try service()
        let count = Guarded(0)
        let server = try await server { request in
            guard request.method == "PATCH" else { return service.response(to: request) }
            let number = count.withLock { number in
                number += 1
                return number
            }
            // Refused, taken without an answer, or as it should be.
            if number % 3 == 1 { return HTTPAnswer(status: 503) }
            let response = service.response(to: request)
            return number % 3 == 2 ? HTTPAnswer(status: 502) : response
        }
        let (path, bytes) = try file(5_000_000)
        let url = try await uploader.upload(path, to: host(server))
        #expect(try content(url, service) == bytes)
        #expect(count.withLock { $0 } > 5)
    }

    @Test func `a connection that is cut is followed by a question`() async throws {
        let server = try await CuttingServer.start(try authority.issue()) { number in
            switch number {
            case 0: .head("HTTP/1.1 201 Created\r\nLocation: /v1/uploads/u\r\nUpload-Offset: 0\r\nContent-Length: 0")
            case 2: .head("HTTP/1.1 204 No Content\r\nUpload-Offset: 3\r\nUpload-Complete: ?0")
            case 3: .head("HTTP/1.1 200 OK\r\nLocation: /v1/blobs/b\r\nUpload-Complete: ?1\r\nContent-Length: 0")
            default: .cut
            }
        }
        let (path, _) = try file(10)
        let host = try #require(BlobHost(url: "https://localhost:\(server.port)/", token: "t"))
        let url = try await uploader.upload(path, to: host)
        #expect(url.path == "/v1/blobs/b")
        #expect(server.requests.map { $0.prefix { $0 != " " } } == ["POST", "PATCH", "HEAD", "PATCH"])
        #expect(server.requests[3].contains("\r\nUpload-Offset: 3\r\n"))
        #expect(server.requests.allSatisfy { ($0 + "\r\n").contains("\r\nAuthorization: Bearer t\r\n") })
    }

    @Test func `a host that is not there is given up`() async throws {
        // Held: a server's own port may be another test's as soon as it is closed.
        let port = try HeldPort.deaf()
        let host = try #require(BlobHost(url: "https://localhost:\(port.number)", token: Self.token))
        let (path, _) = try file(10)
        await #expect(throws: UploadError.connectionLost) { try await uploader.upload(path, to: host) }
    }

    @Test func `a host of another authority is not sent anything`() async throws {
        let service = try service()
        let server = try await server(service.application)
        let authority = try TestAuthority(name: "Another authority")
        let other = try place.makeFile("other.pem", String(decoding: authority.certificatePEM, as: UTF8.self))
        let (path, _) = try file(10)
        let host = try host(server)
        await #expect(throws: UploadError.notTrusted) {
            try await AttachmentUploader(trust: .file(path: other), retryDelay: .milliseconds(1), connectSeconds: 600)
                .upload(path, to: host)
        }
    }

    @Test func `what the host refuses is named`() async throws {
        let service = try service(byteCountMax: 100)
        let server = try await server(service.application)
        let (path, _) = try file(101)
        let (right, wrong) = (try host(server), try host(server, token: "wrong"))
        await #expect(throws: UploadError.noSpace) { try await uploader.upload(path, to: right) }
        await #expect(throws: UploadError.unauthorized) { try await uploader.upload(path, to: wrong) }
        await #expect(throws: UploadError.file(code: ENOENT)) { try await uploader.upload(path + "x", to: right) }
    }

    @Test func `an upload is cancelled with its task`() async throws {
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try await CuttingServer.start(try authority.issue()) { _ in
            continuation.yield()
            return .silence
        }
        let (path, _) = try file(10)
        let host = try #require(BlobHost(url: "https://localhost:\(server.port)", token: "t"))
        let task = Task { [uploader] in try await uploader.upload(path, to: host) }
        for await _ in asked { break }
        task.cancel()
        await #expect(throws: UploadError.cancelled) { try await task.value }
    }

    // MARK: Pre-signed URLs

    @Test func `a pre-signed URL gets the whole file, its length and nothing else`() async throws {
        let request = Guarded<HTTPRequest?>(nil)
        let server = try await server { got in
            request.withLock { $0 = got }
            return HTTPAnswer(status: 200)
        }
        let (path, bytes) = try file(3_000_000)
        try await uploader.put(path, to: "https://localhost:\(server.ports[0])/bucket/key?X-Amz-Signature=abc%2F")
        let got = try #require(request.withLock { $0 })
        #expect(got.method == "PUT" && got.path == "/bucket/key" && got.query == "X-Amz-Signature=abc%2F")
        #expect(got.body == bytes && got.value(of: "Content-Length") == "3000000")
        #expect(Set(got.fields.map { $0.name.lowercased() }) == ["host", "accept", "content-length"])
    }

    @Test(
        arguments: [(403, .unauthorized), (404, .refused(status: 404)), (307, .refused(status: 307))]
            as [(Int, UploadError)]
    )
    func `a storage that refuses is not asked again`(_ status: Int, _ error: UploadError) async throws {
        let count = Guarded(0)
        let server = try await server { _ in
            count.withLock { $0 += 1 }
            return HTTPAnswer(status: status, fields: [.init("Location", "https://localhost:1/")])
        }
        let (path, _) = try file(10)
        await #expect(throws: error) { try await uploader.put(path, to: "https://localhost:\(server.ports[0])/k") }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `a storage that is down for a moment is asked again`() async throws {
        let count = Guarded(0)
        let server = try await server { _ in
            let number = count.withLock { number in
                number += 1
                return number
            }
            return HTTPAnswer(status: number < 3 ? 503 : 204)
        }
        let (path, _) = try file(10)
        try await uploader.put(path, to: "https://localhost:\(server.ports[0])/k")
        #expect(count.withLock { $0 } == 3)
    }

    @Test(arguments: ["http://localhost/", "file:///etc/passwd", "https://x/a b", "https://x/\n", ""])
    func `what is no https URL is not asked`(_ url: String) async throws {
        let (path, _) = try file(10)
        await #expect(throws: UploadError.malformedURL) { try await uploader.put(path, to: url) }
    }

    @Test(arguments: [
        ("http://x.example", "t"), ("https://x.example/path", "t"), ("https://x.example?q", "t"), ("https://", "t"),
        ("https://x.example", ""), ("https://x.example", "a b"), ("https://x.example", "a\r\nb"),
    ])
    func `a host that is none, or a token that would end its line, is refused`(_ url: String, _ token: String) {
        #expect(BlobHost(url: url, token: token) == nil)
    }
}
