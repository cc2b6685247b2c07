import HTTP
import TestSupport
import Testing

@testable import APNSSimulator

struct ControlPagesTests {
    private final class Pages: ControlPages {
        func file(_ request: HTTPRequest) -> HTTPAnswer? {
            request.path == "/" ? HTTPAnswer(status: 200, body: Array("page".utf8)) : nil
        }

        func bodyByteCountMax(_ path: String) -> Int? { path == "/v1/pages" ? 10 : nil }

        func answer(_ request: HTTPRequest, _ responder: HTTPResponder) {
            responder.respond(HTTPAnswer(status: 200, body: Array("called".utf8) + request.body))
        }
    }

    private static func server() async throws -> (Site, ControlServer) {
        let site = try await Site()
        return (site, try await ControlServer.start(site.simulator, port: 0, pages: Pages()) {})
    }

    @Test func `a file needs no secret, a call does`() async throws {
        let (site, server) = try await Self.server()
        #expect(try await server.call("GET /", fields: ["Host: localhost"]).status == 200)
        #expect(try await server.call("POST /v1/pages", fields: ["Host: localhost"]).status == 401)
        #expect(try await server.call("POST /v1/pages", "it").body == "calledit")
        _ = site
    }

    @Test func `the own page may call, another may not`() async throws {
        let (site, server) = try await Self.server()
        for (origin, status) in [
            ("http://localhost:7", 200), ("http://localhost", 403), ("http://127.0.0.1:7", 403), ("null", 403),
        ] {
            let fields = ["Host: localhost:7", "Origin: \(origin)", "Authorization: Bearer \(server.bearer)"]
            for line in ["POST /v1/pages", "GET /v1/state"] {
                let answer = try await server.call(line, fields: fields)
                #expect(answer.status == status, "\(line) \(origin): \(answer)")
            }
        }
        _ = site
    }

    @Test func `under another name there is neither file nor call`() async throws {
        let (site, server) = try await Self.server()
        let fields = ["Host: example.org", "Authorization: Bearer \(server.bearer)"]
        for line in ["GET /", "POST /v1/pages"] {
            #expect(try await server.call(line, fields: fields).status == 403)
        }
        _ = site
    }

    @Test func `a body beyond the pages' limit is not read`() async throws {
        let (site, server) = try await Self.server()
        #expect(try await server.call("POST /v1/pages", "12345678901").status == 413)
        _ = site
    }
}
