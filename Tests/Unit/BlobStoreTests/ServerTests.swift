import BlobStorePattern
import HTTP
import Networking
import TestCertificates
import TestSupport
import Testing

@testable import BlobStore

struct ServerTests {
    @Test func `a blob goes up in parts and comes down in ranges`() async throws {
        let site = try Site()
        let service = try site.service()
        let identity = try TestAuthority().issue()
        let context = unsafe try TLSContext.server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["http/1.1"]
        )
        let server = try await HTTPFront.start(
            listens: [.init(address: "127.0.0.1", port: 0)],
            context: context,
            loop: try EventLoop(),
            application: service.application
        )
        let client = try TestClient(port: server.ports[0])
        let common = "HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Site.acmeToken)\r\n"
        client.send("POST /v1/uploads \(common)Upload-Complete: ?0\r\nUpload-Length: 6\r\nContent-Length: 3\r\n\r\nabc")
        let begun = try #require(client.response())
        #expect(begun.status == 201)
        let upload = try #require(begun["location"])
        client.send(
            "PATCH \(upload) \(common)Upload-Complete: ?1\r\nUpload-Offset: 3\r\nContent-Length: 3\r\n\r\ndef"
        )
        let blob = try #require(client.response()?["location"])
        client.send("GET \(blob) HTTP/1.1\r\nHost: localhost\r\nRange: bytes=2-3\r\n\r\n")
        let part = try #require(client.response())
        #expect(part.status == 206 && part.body == Array("cd".utf8))
        client.send("HEAD \(blob) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.response(isHead: true)?["content-length"] == "6")
        client.send("HEAD \(upload) \(common)\r\n")
        #expect(client.response(isHead: true)?["location"] == blob)
        client.send("GET /v1/blobs/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.response()?.status == 404)
    }
}
