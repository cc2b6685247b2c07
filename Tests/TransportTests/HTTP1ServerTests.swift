import TestCertificates
import Testing

@testable import Transport

/// What a server says to clients that mean well.
@Suite struct HTTP1ServerTests {
    @Test func `answers one request after another on a connection`() throws {
        let loopback = try HTTP1Loopback()
        let client = try loopback.client()
        for number in 0..<3 {
            client.send("POST /a/\(number)?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
            let response = try #require(client.response())
            #expect(response.status == 200 && response.text == "POST /a/\(number)?b=c hi")
        }
        #expect(client.chosenProtocol == "http/1.1")
    }

    @Test func `requests that come at once are answered in their order`() throws {
        let loopback = try HTTP1Loopback()
        let client = try loopback.client()
        client.send((0..<20).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        for number in 0..<20 { #expect(try #require(client.response()).text == "GET /\(number) ") }
    }

    @Test func `HEAD has the fields of GET and no body`() throws {
        let loopback = try HTTP1Loopback()
        let client = try loopback.client()
        client.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        let head = try #require(client.response(isHead: true))
        #expect(head.status == 200 && head["content-length"] == "\("HEAD /a ".utf8.count)")
        #expect(try #require(client.response()).text == "GET /b ")
    }

    @Test func `HTTP 1.0 ends with its answer`() throws {
        let loopback = try HTTP1Loopback()
        let client = try loopback.client()
        client.send("GET /old HTTP/1.0\r\n\r\n")
        #expect(try #require(client.response()).text == "GET /old ")
        #expect(client.rest().isEmpty)
    }

    @Test func `Connection close ends with its answer`() throws {
        let loopback = try HTTP1Loopback()
        let client = try loopback.client()
        client.send("GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(try #require(client.response()).text == "GET /last ")
        #expect(client.rest().isEmpty)
    }

    @Test func `a body that waits to be asked for is asked for`() throws {
        let loopback = try HTTP1Loopback()
        let client = try loopback.client()
        client.send("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try #require(client.response()).status == 100)
        client.send("hi")
        #expect(try #require(client.response()).text == "PUT /a hi")
    }

    @Test func `a client that speaks another protocol only is refused`() throws {
        let loopback = try HTTP1Loopback()
        #expect(throws: TestAuthority.Failure.self) {
            try TestClient(port: loopback.server.port, alpn: [2] + Array("h2".utf8))
        }
    }

    @Test func `a server that is closed frees its port and its connections`() async throws {
        let loopback = try HTTP1Loopback()
        let client = try loopback.client()
        await loopback.server.close()
        #expect(client.rest().isEmpty)
        #expect(throws: TestAuthority.Failure.self) { try loopback.client() }
        await loopback.server.close()
    }
}
