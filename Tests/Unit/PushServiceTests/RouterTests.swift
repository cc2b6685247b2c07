import TestSupport
import Testing

@testable import PushService

struct RouterTests {
    private func status(_ method: String, _ path: String) -> Int {
        do throws(Problem) {
            _ = try Router.match(method: method, path: path)
            return 200
        } catch {
            return error.kind.status
        }
    }

    @Test func `every route is found by its own method and path`() throws {
        for route in Route.all {
            let path = route.pattern.split(separator: "{id}", omittingEmptySubsequences: false).joined(
                separator: "device-1"
            )
            let match = try Router.match(method: route.method, path: path)
            #expect(match.route == route)
            #expect(match.id == (route.pattern.contains("{") ? "device-1" : nil))
        }
        #expect(Set(Route.all.map(\.operation)).count == Route.Operation.allCases.count)
    }

    @Test(arguments: [
        "", "/", "//", "/v1", "/v1/", "/v1/devices", "/v1/devices/", "/v1/devices//bundle", "//v1/health",
        "/v1//health",
        "/v1/health/", "/v1/health/..", "/v1/../v1/health", "/v1/devices/../health", "/v1/devices/%2e%2e",
        "/v1/devices/a%2fb", "/v1/devices/a;b", "/v1/devices/a.", "/v1/devices/a.b", "/v1/devices/.", "/v1/devices/a b",
        "/V1/health", "/v1/Health", "v1/health", "/v1/health\u{0}", "/v1/devices/\u{e9}", "*",
        "/v1/devices/" + String(repeating: "a", count: 65), "/v1/devices/" + String(repeating: "a", count: 8_192),
    ])
    func `a path has one spelling (abuse case 91)`(_ path: String) {
        for method in ["GET", "PUT", "POST", "DELETE"] { #expect(status(method, path) == 404) }
    }

    @Test func `another method hears which there are`() {
        let problem = refusal { () throws(Problem) in _ = try Router.match(method: "PATCH", path: "/v1/devices/a") }
        #expect(problem?.kind == .methodNotAllowed)
        #expect(problem?.response.fields.contains(.init("allow", "PUT, GET, HEAD, DELETE")) == true)
        #expect(status("get", "/v1/health") == 405)
    }

    @Test func `HEAD is answered wherever GET is, and nowhere else`() throws {
        for route in Route.all {
            let path = route.pattern.split(separator: "{id}", omittingEmptySubsequences: false).joined(separator: "a")
            let isAnswered = Route.all.contains { $0.method == "GET" && $0.pattern == route.pattern }
            #expect(status("HEAD", path) == (isAnswered ? 200 : 405), "\(path)")
            if isAnswered { #expect(try Router.match(method: "HEAD", path: path).route.method == "GET") }
        }
    }

    @Test(arguments: [
        "limit=0", "limit=-1", "limit=501", "limit=99999999999999999999", "limit=1&limit=2", "limit=", "limit=1e2",
        "cursor=", "cursor=a%20b", "cursor=a&cursor=b", "offset=1", "limit", "&", "limit=1&",
        "cursor=" + String(repeating: "a", count: 300),
    ])
    func `a page that makes no sense is refused (abuse case 89)`(_ query: String) {
        let problem = refusal { () throws(Problem) in _ = try PageQuery(query) }
        #expect(problem?.kind == .badRequest)
    }

    @Test func `a page is a cursor and a limit`() throws {
        let page = try PageQuery("cursor=abc-_9&limit=500")
        #expect(page.cursor == "abc-_9" && page.limit == 500)
        #expect(try PageQuery(nil).limit == PageQuery.limitDefault)
        #expect(try PageQuery("").cursor == nil)
    }

    @Test func `any path and query is a route or a problem`() {
        var random = SeededRandom(seed: RunSeed.here())
        let pieces = [
            "/", "v1", "devices", "a", "..", "%", "\u{0}", "bundle", "?", "&", "=", "limit", "9", "\u{1F600}",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }.joined()
            _ = status("GET", text)
            _ = refusal { () throws(Problem) in _ = try PageQuery(text) }
        }
    }

    @Test func `a problem says type, title, status, detail and the fields, and waits are whole seconds`() {
        var problem = Problem(.quotaExceeded, "Wait.")
        problem.retryAfterSeconds = 0
        problem.fields = [Problem.Field(pointer: "/a", detail: "b\nc")]
        #expect(
            String(decoding: problem.json, as: UTF8.self)
                == #"{"type":"urn:sealedpush:problem:quota-exceeded","title":"Today's quota is used up","status":429,"#
                + #""detail":"Wait.","errors":[{"pointer":"/a","detail":"b\nc"}]}"#
        )
        #expect(problem.response.fields.contains(.init("retry-after", "1")))
        #expect(problem.response.fields.contains(.init("content-type", "application/problem+json")))
        #expect(Problem(.unauthorized, "").response.fields.contains(.init("www-authenticate", "Bearer")))
    }
}
