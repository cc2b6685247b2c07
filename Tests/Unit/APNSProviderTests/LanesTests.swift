import APNS
import Envelope
import HTTP
import Platform
import Testing

@testable import APNSProvider

struct LanesTests {
    private static let good = "GOOD567890"
    private static let bad = "BAD4567890"

    private static func serve(_ site: APNSStandIn) async throws -> HTTP2Server {
        let badKey = Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(bad)"}"#.utf8))
        return try await site.serve { push in
            let authorization = push.request.headers["authorization"] ?? []
            let isBad = authorization.starts(with: Array("bearer ".utf8) + badKey)
            isBad ? push.reject(.invalidProviderToken) : push.accept()
        }
    }

    @Test func `a bad key suspends its lane and says so, and no other lane notices`() async throws {
        let site = try APNSStandIn()
        let server = try await Self.serve(site)
        let alarms = Alarms()
        let lanes = try site.lanes(alarms)
        for key in [Self.good, Self.bad] { try await lanes.setKey(try APNSStandIn.tokens(keyID: key)) }
        let good = try #require(try lanes.client(for: APNSStandIn.lane(of: server, keyID: Self.good)))
        let bad = try #require(try lanes.client(for: APNSStandIn.lane(of: server, keyID: Self.bad)))
        #expect(try await good.send(try APNSStandIn.notification()).status == 200)
        #expect(try await bad.send(try APNSStandIn.notification()).status == 403)
        await #expect(throws: ProviderError.suspended(.invalidProviderToken)) {
            try await bad.send(try APNSStandIn.notification())
        }
        #expect(alarms.suspensions == [.invalidProviderToken])
        #expect(await good.suspension == nil)
        let answer = try await good.send(try APNSStandIn.notification())
        #expect(answer.status == 200 && answer.attemptCount == 1)
        await lanes.close()
        await server.close()
    }

    @Test func `a key that is removed takes its lane with it, and the others stay connected`() async throws {
        let site = try APNSStandIn()
        let server = try await Self.serve(site)
        let alarms = Alarms()
        let lanes = try site.lanes(alarms)
        let other = "OTHER67890"
        for key in [Self.good, other] { try await lanes.setKey(try APNSStandIn.tokens(keyID: key)) }
        let lane = try APNSStandIn.lane(of: server, keyID: Self.good)
        let removed = try #require(try lanes.client(for: lane))
        let kept = try #require(try lanes.client(for: APNSStandIn.lane(of: server, keyID: other)))
        for client in [removed, kept] { #expect(try await client.send(try APNSStandIn.notification()).status == 200) }
        await lanes.removeKey(try KeyID(Self.good), of: try TeamID("DEF123GHIJ"))
        #expect(try lanes.client(for: lane) == nil)
        await #expect(throws: ProviderError.closed) { try await removed.send(try APNSStandIn.notification()) }
        #expect(try await kept.send(try APNSStandIn.notification()).status == 200)
        #expect(alarms.connectCount == 2)
        await lanes.close()
        await server.close()
    }

    @Test func `lanes of one key at two endpoints carry one token`() async throws {
        let site = try APNSStandIn()
        let tokens = Guarded<[[UInt8]]>([])
        let servers = [
            try await site.serve { push in
                tokens.withLock { $0.append(Array(push.request.headers["authorization"] ?? [])) }
                push.accept()
            },
            try await site.serve { push in
                tokens.withLock { $0.append(Array(push.request.headers["authorization"] ?? [])) }
                push.accept()
            },
        ]
        let lanes = try site.lanes(Alarms())
        try await lanes.setKey(try APNSStandIn.tokens(keyID: Self.good))
        for server in servers {
            let client = try #require(try lanes.client(for: APNSStandIn.lane(of: server, keyID: Self.good)))
            #expect(try await client.send(try APNSStandIn.notification()).status == 200)
        }
        let seen = tokens.withLock { $0 }
        #expect(seen.count == 2 && seen[0] == seen[1])
        await lanes.close()
        for server in servers { await server.close() }
    }
}

private final class Alarms: APNSClientObserver {
    private let events = Guarded<[APNSClientEvent]>([])

    func record(_ event: APNSClientEvent) { events.withLock { $0.append(event) } }

    var suspensions: [Reason] {
        events.withLock { events in
            events.compactMap { event in
                if case .suspended(let reason) = event { reason } else { nil }
            }
        }
    }

    var connectCount: Int {
        events.withLock { events in
            events.count { event in
                if case .connected = event { true } else { false }
            }
        }
    }
}
