import PushStore
import TestSupport
import Testing

@testable import PushService

struct AuthenticatorTests {
    private static let second: Int64 = 1_000_000_000

    private func request(_ key: String?, from address: String? = "8.8.8.8") -> APIRequest {
        APIRequest(
            method: "POST",
            path: "/",
            fields: key.map { [.init("authorization", "Bearer \($0)")] } ?? [],
            client: address.flatMap { IPAddress($0) }
        )
    }

    private func route(_ operation: Route.Operation) throws -> Route {
        try #require(Route.all.first { $0.operation == operation })
    }

    @Test func `a key opens what its scopes say, and nothing else`() throws {
        var authenticator = Authenticator(try ExampleConfiguration.read())
        for route in Route.all {
            for (key, scopes) in [("one", [Scope.send, .read]), ("two", [.manage, .metrics])] {
                do throws(Problem) {
                    let grant = try authenticator.admit(request(key), to: route, now: 0)
                    #expect(route.scope.map { scopes.contains($0) } ?? true)
                    #expect(grant?.tenant.text == (route.scope == nil ? nil : "acme"))
                } catch {
                    #expect(error.kind == .forbidden && route.scope.map { !scopes.contains($0) } == true)
                }
            }
        }
    }

    @Test func `a key that is missing, malformed, doubled or unknown gets one answer (abuse case 86)`() throws {
        var authenticator = Authenticator(try ExampleConfiguration.read())
        let route = try route(.postNotifications)
        let doubled = APIRequest(
            method: "POST",
            path: "/",
            fields: [.init("authorization", "Bearer one"), .init("authorization", "Bearer one")]
        )
        var problems: [Problem] = []
        for request in [request(nil), request(""), request("three"), request("one two"), doubled] {
            if let problem = refusal({ () throws(Problem) in _ = try authenticator.admit(request, to: route, now: 0) })
            {
                problems.append(problem)
            }
        }
        #expect(problems.count == 5 && problems.allSatisfy { $0 == problems[0] && $0.kind == .unauthorized })
    }

    @Test func `a guesser of keys uses up its address, and locks out no key behind it (abuse case 86)`() throws {
        var authenticator = Authenticator(try ExampleConfiguration.read())
        let route = try route(.postNotifications)
        var kinds: [Problem.Kind: Int] = [:]
        for number in 0..<10_000 {
            let guess = request("spk_\(number)")
            if let problem = refusal({ () throws(Problem) in _ = try authenticator.admit(guess, to: route, now: 0) }) {
                kinds[problem.kind, default: 0] += 1
            }
        }
        #expect(kinds == [.unauthorized: 200, .tooManyRequests: 9_800])
        for address in ["8.8.8.8", "9.9.9.9"] {
            #expect(try authenticator.admit(request("one", from: address), to: route, now: 0)?.keyName == "back-end")
        }
    }

    @Test func `a back end makes a thousand requests a second for a minute, by default, from one address`() throws {
        var authenticator = Authenticator(try ExampleConfiguration.read(replacing: #""requests-per-second": 50,"#))
        let (route, open) = (try route(.postNotifications), try route(.health))
        var withoutKey = 0
        for number in 0..<60_000 {
            let now = Int64(number) * Self.second / 1_000
            _ = try authenticator.admit(request("one"), to: route, now: now)
            if refusal({ () throws(Problem) in _ = try authenticator.admit(request(nil), to: open, now: now) }) == nil {
                withoutKey += 1
            }
        }
        // 100 a second, and 200 at once.
        #expect((6_000...6_200).contains(withoutKey))
    }

    @Test func `a tenant has its rate, whatever addresses and keys it uses (abuse case 90)`() throws {
        var authenticator = Authenticator(try ExampleConfiguration.read())
        let route = try route(.postNotifications)
        var admitted = 0
        var problem: Problem?
        for number in 0..<1_000 {
            let request = request("one", from: "8.8.\(number / 250).\(number % 250)")
            let refused = refusal { () throws(Problem) in _ = try authenticator.admit(request, to: route, now: 0) }
            if refused == nil { admitted += 1 } else { problem = refused }
        }
        #expect(admitted == 100)
        #expect(problem?.kind == .tooManyRequests && problem?.retryAfterSeconds == 1)
        #expect(try authenticator.admit(request("one", from: nil), to: route, now: Self.second)?.tenant.text == "acme")
    }

    @Test func `another configuration's keys and rates count at once, and what was used up stays used up`() throws {
        let route = try route(.postNotifications)
        var authenticator = Authenticator(try ExampleConfiguration.read())
        for _ in 0..<100 { _ = try authenticator.admit(request("one", from: nil), to: route, now: 0) }
        func admits(_ key: String, now: Int64) -> Bool {
            refusal { () throws(Problem) in _ = try authenticator.admit(request(key, from: nil), to: route, now: now) }
                == nil
        }
        #expect(!admits("one", now: 0))
        authenticator.adopt(try ExampleConfiguration.read())
        #expect(!admits("one", now: 0))
        // The limit goes from 50 to 10.
        authenticator.adopt(
            try ExampleConfiguration.read(replacing: #""requests-per-second": 50"#, with: #""requests-per-second": 10"#)
        )
        let later = 100 * Self.second
        let count = (0..<100).count { _ in admits("one", now: later) }
        #expect(count == 20)
    }

    @Test func `health and receipts ask for no key`() throws {
        var authenticator = Authenticator(try ExampleConfiguration.read())
        for operation in [Route.Operation.health, .readiness, .postReceipts, .postResends] {
            #expect(try authenticator.admit(request(nil), to: try route(operation), now: 0) == nil)
        }
    }
}

extension Authenticator {
    /// Admits a request whose key has no end.
    fileprivate mutating func admit(_ request: APIRequest, to route: Route, now: Int64) throws(Problem) -> Grant? {
        try admit(request, to: route, now: now, unixSeconds: 0)
    }
}
