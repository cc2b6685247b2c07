import Envelope
import Foundation
import Primitives
import Testing

@testable import PushService

/// docs/openapi.yaml against the routes and problems that it describes. Tests/Conformance/Service/contract checks bodies against
/// the running service.
struct OpenAPIDocumentTests {
    /// An operation, as the document's indentation shows it.
    private struct Described: Equatable {
        var method: String
        var path: String
        var operation = ""
        var scope: String?
        var asksForKey = true
        var asksForEndpointKey = false
        var hasBody = false
        var query: [String] = []
        var statuses: [String] = []
    }

    private static func lines() throws -> [Substring] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/openapi.yaml"), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Lines of one key at the left edge, without the key's own.
    private static func section(_ name: String, of lines: [Substring]) -> ArraySlice<Substring> {
        let rest = lines.drop { $0 != "\(name):" }.dropFirst()
        return rest.prefix { $0.isEmpty || $0.hasPrefix(" ") }
    }

    private static func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }

    private static func described() throws -> [Described] {
        var all: [Described] = []
        var path = ""
        var parameter = ""
        for line in section("paths", of: try lines()) where !line.isEmpty {
            let word = line.drop { $0 == " " || $0 == "-" }
            switch indentation(line) {
            case 2: path = String(word.dropLast())
            case 4 where ["get:", "put:", "post:", "delete:", "patch:", "head:"].contains(word):
                all.append(Described(method: word.dropLast().uppercased(), path: path))
            case 4: continue
            case 6... where !all.isEmpty: read(line, word, &all[all.count - 1], &parameter)
            default: continue
            }
        }
        return all
    }

    private static func read(
        _ line: Substring,
        _ word: Substring,
        _ described: inout Described,
        _ parameter: inout String
    ) {
        if let scope = word.split(separator: "Needs the scope `").dropFirst().first {
            described.scope = scope.split(separator: "`").first.map(String.init)
        } else if let scope = word.split(separator: "`").dropFirst().first, word.hasPrefix("Needs the scope `") {
            described.scope = String(scope)
        }
        switch indentation(line) {
        case 6 where word.hasPrefix("operationId: "): described.operation = String(word.dropFirst(13))
        case 6 where word == "security: []": described.asksForKey = false
        case 6 where word == "security: [{endpointKey: []}]":
            described.asksForKey = false
            described.asksForEndpointKey = true
        case 6 where word == "requestBody:": described.hasBody = true
        case 8 where word.hasPrefix("\""): described.statuses.append(String(word.dropFirst().prefix(3)))
        case 8 where word.hasPrefix("name: "): parameter = String(word.dropFirst(6))
        case 10 where word == "in: query": described.query.append(parameter)
        default: return
        }
    }

    @Test func `what the document has and what the service answers to are the same operations`() throws {
        let described = try Self.described().map { "\($0.operation): \($0.method) \($0.path)" }
        let routes = Route.all.map { "\($0.operation.rawValue): \($0.method) \($0.pattern)" }
        #expect(described.sorted() == routes.sorted())
    }

    @Test func `each operation asks for the key, the body and the query that its route does`() throws {
        let all = try Self.described()
        for route in Route.all {
            let described = try #require(all.first { $0.operation == route.operation.rawValue })
            #expect(described.scope == route.scope?.rawValue, "\(route.operation)")
            #expect(described.asksForKey == (route.scope != nil), "\(route.operation)")
            #expect(described.asksForEndpointKey == route.operation.isDevices, "\(route.operation)")
            #expect(described.hasBody == (route.body != .none), "\(route.operation)")
            #expect(described.query == route.query, "\(route.operation)")
        }
    }

    @Test func `each operation has the statuses that the authenticator and the reader of bodies give`() throws {
        for described in try Self.described() {
            var expected = ["400", "429"]
            if described.asksForKey || described.asksForEndpointKey { expected += ["401", "403"] }
            if described.hasBody { expected += ["413", "415"] }
            // A record has no fields.
            if described.hasBody, described.path.hasPrefix("/v1/") { expected.append("422") }
            if described.path.contains("{") { expected.append("404") }
            let missing = expected.filter { !described.statuses.contains($0) }
            #expect(missing == [], "\(described.operation)")
        }
    }

    @Test func `each kind of problem stands with its status, and there are no others`() throws {
        let components = Self.section("components", of: try Self.lines())
        var status = ""
        var described: Set<String> = []
        for line in components.drop(while: { $0 != "  responses:" }).dropFirst().prefix(while: { line in
            line.isEmpty || Self.indentation(line) > 2
        }) {
            if Self.indentation(line) == 4 { status = String(line.dropFirst(11).prefix(3)) }
            for part in line.split(separator: "`") where part.hasPrefix("urn:sealedpush:problem:") {
                described.insert("\(status) \(part)")
            }
        }
        let kinds = Problem.Kind.allCases.map { "\($0.status) urn:sealedpush:problem:\($0.rawValue)" }
        #expect(described == Set(kinds))
        let listed = components.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("- urn:") }.map { $0.dropFirst(2) }
        #expect(Set(listed.map(String.init)) == Set(kinds.map { String($0.dropFirst(4)) }))
    }

    /// The first value of this name in double quotes, its lines joined.
    private static func quoted(_ name: String, in lines: [Substring]) throws -> String {
        let rest = lines.drop { !$0.drop { $0 == " " || $0 == "-" }.hasPrefix("\(name): \"") }
        let joined = try rest.prefix(1 + #require(rest.firstIndex { $0.hasSuffix("\"") }) - rest.startIndex)
            .map { $0.drop { $0 == " " } }.joined(separator: "\n").replacing("\\\n", with: "")
        return try String(#require(joined.split(separator: "\"").dropFirst().first))
    }

    private static func json(_ text: String) throws -> JSONValue {
        try JSONParser.parse(Array(text.utf8), limits: .init(byteCountMax: 10_000, depthMax: 8, allowsFractions: false))
    }

    @Test func `the examples of bodies are ones that the parsers take`() throws {
        let lines = try Self.lines()
        let examples = try ["token", "bundle", "sealed", "trace", "capability", "prekey-id"].map { name in
            (name, try Self.quoted(name, in: lines))
        }
        let of = Dictionary(uniqueKeysWithValues: examples).mapValues { "\"\($0)\"" }
        let chat = #""topic":"com.example.chat""#
        let device = "{\"token\":\(of["token"]!),\"bundle\":\(of["bundle"]!),\(chat),\"environment\":\"sandbox\"}"
        _ = try DeviceUpload(Self.json(device))
        let recipient = "{\"device\":\"d1\",\"sealed\":\(of["sealed"]!),\"trace\":\(of["trace"]!)}"
        let body = "{\(chat),\"class\":\"normal\",\"recipients\":[\(recipient)]}"
        var random = SystemRandom()
        _ = try NotificationSubmission(
            APIRequest(method: "POST", path: "/v1/notifications", body: Array(body.utf8)),
            Self.json(body),
            app: { $0.text == "com.example.chat" ? 3_000 : nil },
            recipientCountMax: 1,
            random: &random
        )
        let resend = "{\"resends\":[{\"trace\":\(of["trace"]!),\"prekey-id\":\(of["prekey-id"]!)}]}"
        #expect(try ResendRequest(Self.json(resend)).items.count == 1)
        let receipt = "{\"receipts\":[{\"capability\":\(of["capability"]!),\"code\":\"opened\"}]}"
        #expect(try ReceiptBatch(Self.json(receipt), countMax: 1).items.count == 1)
    }
}
