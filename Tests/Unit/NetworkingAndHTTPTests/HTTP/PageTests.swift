import Testing

@testable import HTTP

@Suite struct PageTests {
    private static let files = PageFiles([
        "/": ("page.html", Array("<p>".utf8)), "/page.js": ("page.js", Array("1".utf8)), "/x": ("x.bin", []),
    ])

    private static func request(_ method: String, _ path: String, _ fields: [String: String] = [:]) -> HTTPRequest {
        HTTPRequest(method: method, path: path, fields: fields.map { .init($0.key, $0.value) })
    }

    private static func field(_ name: String, of answer: HTTPAnswer?) -> String? {
        answer.flatMap { answer in
            (0..<answer.fields.count).map { answer.fields[$0] }
                .first { String(decoding: $0.name, as: UTF8.self) == name }
                .map { String(decoding: $0.value, as: UTF8.self) }
        }
    }

    @Test(arguments: [
        ("/", "text/html; charset=utf-8"), ("/page.js", "text/javascript; charset=utf-8"),
        ("/x", "application/octet-stream"),
    ])
    func `a file has its type, and a policy that admits nothing inline or from elsewhere`(
        _ path: String,
        _ type: String
    ) {
        let answer = Self.files.answer(Self.request("GET", path))
        #expect(answer?.status == 200 && Self.field("content-type", of: answer) == type)
        let policy = Self.field("content-security-policy", of: answer) ?? ""
        #expect(policy.hasPrefix("default-src 'none';") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
        #expect(Self.field("x-content-type-options", of: answer) == "nosniff")
    }

    @Test func `another path is no file, another method no call`() {
        #expect(Self.files.answer(Self.request("GET", "/page.css.map")) == nil)
        #expect(Self.files.answer(Self.request("GET", "/page.css"))?.status == 200, "every page has it")
        #expect(Self.files.answer(Self.request("GET", "//")) == nil)
        #expect(Self.files.answer(Self.request("POST", "/"))?.status == 405)
    }

    @Test(arguments: ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[2001:DB8::1]", "[2001:db8::1]:443"])
    func `this server's names are good`(_ host: String) throws {
        try PageCaller(hosts: ["localhost", "127.0.0.1", "[2001:db8::1]"], allowsOwnPage: true)
            .checkHost(Self.request("GET", "/", ["Host": host]))
    }

    @Test(arguments: [
        "", ":80", "example.org", "localhost.example.org", "127.0.0.1.example.org:80", "[::1]", "[localhost",
    ])
    func `another name is refused`(_ host: String) {
        let caller = PageCaller(hosts: ["localhost", "127.0.0.1"], allowsOwnPage: true)
        #expect(throws: PageCallerError.host) { try caller.checkHost(Self.request("GET", "/", ["Host": host])) }
    }

    @Test(arguments: [
        "null", "http://localhost", "http://localhost:81", "https://localhost:80", "http://localhost:80.example.org",
    ])
    func `another page is refused, and where no page may call the own one too`(_ origin: String) throws {
        let own = ["Host": "localhost:80", "Origin": "http://localhost:80"]
        let caller = PageCaller(hosts: ["localhost"], allowsOwnPage: true)
        try caller.checkOrigin(Self.request("POST", "/", own))
        try caller.checkOrigin(Self.request("POST", "/", ["Host": "localhost:80"]))
        let other = Self.request("POST", "/", ["Host": "localhost:80", "Origin": origin])
        #expect(throws: PageCallerError.origin) { try caller.checkOrigin(other) }
        let strict = PageCaller(hosts: ["localhost"], allowsOwnPage: false)
        #expect(throws: PageCallerError.origin) { try strict.checkOrigin(Self.request("POST", "/", own)) }
    }
}
