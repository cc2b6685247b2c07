import Glibc
import TestCertificates
import Testing

@testable import HTTP

@Suite struct FrontFieldTests {
    @Test func `every answer has its date, a refusal too, in both versions`() async throws {
        let stage = try await FrontStage()
        let client = try stage.client()
        let other = try await stage.connect()
        let earliest = UInt64(time(nil))
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        var dates = [try #require(client.response()?["date"])]
        client.send("GET /a HTTP/1.1\r\nHost: x y\r\n\r\n")
        dates.append(try #require(client.response()?["date"]))
        for host in ["localhost", "elsewhere"] {
            var request = HTTP2Request.make("GET", "/a")
            request.headers.append("host", Array(host.utf8))
            let response = try await other.send(request)
            #expect(response.status == (host == "localhost" ? 200 : 400))
            dates.append(String(decoding: try #require(response.headers["date"]), as: UTF8.self))
        }
        let possible = Set((earliest...UInt64(time(nil))).map { HTTPDate.text($0) })
        #expect(possible.isSuperset(of: dates))
        await other.close()
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: ["a b", "user@a", "a:b", "a/b", "[::1", "%zz", ""])
    func `a host that is none is refused`(_ host: String) async throws {
        let stage = try await FrontStage()
        let client = try stage.client()
        client.send("GET /a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(client.response()?.status == 400)
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        // What follows is not read.
        #expect(client.rest().isEmpty)
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: ["a:b", "a:1:2", "[::1", "[v1.]", "%zz"])
    func `an authority that is no host is refused`(_ authority: String) async throws {
        let stage = try await FrontStage()
        let client = try await stage.connect()
        var headers = HeaderBlock()
        for (name, value) in [(":method", "GET"), (":scheme", "https"), (":authority", authority), (":path", "/a")] {
            headers.append(Array(name.utf8), Array(value.utf8))
        }
        #expect(try await client.send(HTTP2Request(headers: headers, body: [])).status == 400)
        #expect(try await client.send(.make("GET", "/a")).status == 200)
        await client.close()
        await stage.front.close(gracefully: false)
    }
}
