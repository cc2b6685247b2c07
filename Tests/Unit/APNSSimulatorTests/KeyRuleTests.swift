import APNS
import DeviceLink
import HTTP
import Networking
import Primitives
import TestSupport
import Testing

@testable import APNSSimulator

/// Rules of a signing key: its environments, its relations, and the renewal of its tokens.
struct KeyRuleTests {
    private static func key(
        _ id: String,
        bundleIDs: Set<Topic>? = nil,
        environments: Set<APNSEnvironment> = Set(APNSEnvironment.allCases)
    ) throws -> SigningKey {
        SigningKey(
            id: try KeyID(id),
            team: try TeamID("DEF123GHIJ"),
            publicKey: try ThrowawayKeys.second().publicKey(),
            bundleIDs: bundleIDs,
            environments: environments
        )
    }

    private func request(_ keyID: String, issuedAt: Int64 = Request.now - 60) throws -> Request {
        var request = try Request()
        request["authorization"] =
            try Authorization(keyID: keyID, issuedAt: issuedAt, signsWithSecondKey: true).value
        return request
    }

    @Test(arguments: APNSEnvironment.allCases)
    func `a key of one environment is refused in the other, in the spelling of the setting`(
        _ environment: APNSEnvironment
    ) throws {
        for spelling in ValidationRules.KeyEnvironmentReason.allCases {
            var world = try World {
                $0.environment = environment
                $0.validation.keyEnvironmentReason = spelling
                $0.keys += [
                    try Self.key("SANDBOX001", environments: [.sandbox]),
                    try Self.key("PRODUCTION", environments: [.production]),
                ]
            }
            let (own, other) =
                environment == .sandbox ? ("SANDBOX001", "PRODUCTION") : ("PRODUCTION", "SANDBOX001")
            #expect(world.reason(try request(other))?.rawValue == spelling.rawValue)
            #expect(world.reason(try request(own)) == nil)
        }
    }

    @Test
    func `keys go together that are for all apps, or that share one`() throws {
        let (chat, mail) = (try Topic("com.example.chat"), try Topic("com.example.mail"))
        let keys = [
            try Self.key("WHOLETEAM1"), try Self.key("WHOLETEAM2"), try Self.key("CHATONLY01", bundleIDs: [chat]),
            try Self.key("CHATMAIL01", bundleIDs: [chat, mail]), try Self.key("MAILONLY01", bundleIDs: [mail]),
        ]
        let related: Set<Set<String>> = [
            ["WHOLETEAM1", "WHOLETEAM2"], ["CHATONLY01", "CHATMAIL01"], ["CHATMAIL01", "MAILONLY01"],
        ]
        for first in keys {
            for second in keys where second.id != first.id {
                let expected = related.contains(["\(first.id)", "\(second.id)"])
                #expect(first.isRelated(to: second) == expected, "\(first.id) and \(second.id)")
            }
            #expect(first.isRelated(to: first))
        }
    }

    @Test
    func `the keys of a connection are held against its first, not its last`() throws {
        let (chat, mail) = (try Topic("com.example.chat"), try Topic("com.example.mail"))
        var world = try World {
            $0.keys += [
                try Self.key("CHATONLY01", bundleIDs: [chat]), try Self.key("CHATMAIL01", bundleIDs: [chat, mail]),
                try Self.key("MAILCHAT01", bundleIDs: [mail]),
            ]
        }
        #expect(world.reason(try request("CHATONLY01")) == nil)
        #expect(world.reason(try request("CHATMAIL01")) == nil)
        #expect(world.reason(try request("MAILCHAT01")) == .unrelatedKeyIDInToken)
    }

    @Test
    func `two keys by turns do not get around the twenty minutes`() throws {
        var world = try World()
        #expect(world.reason(try request("SAMETEAM01")) == nil)
        #expect(world.reason(try Request()) == nil)
        #expect(world.reason(try request("SAMETEAM01", issuedAt: Request.now - 59)) == .tooManyProviderTokenUpdates)
    }

    @Test
    func `the same claims signed anew are the same token`() throws {
        var world = try World()
        // ECDSA signs with a fresh random number each time.
        let (one, other) = (try request("SAMETEAM01"), try request("SAMETEAM01"))
        #expect(one["authorization"] != other["authorization"])
        #expect(world.reason(one) == nil)
        #expect(world.reason(other) == nil)
    }

    @Test
    func `counted per connection, another connection may come with another token`() throws {
        var (one, two) = (try World(), try World())
        #expect(one.reason(try request("SAMETEAM01")) == nil)
        two.ledger = one.ledger
        #expect(two.reason(try request("SAMETEAM01", issuedAt: Request.now - 59)) == nil)
    }

    @Test
    func `counted per key, another connection may not, until the twenty minutes are over`() throws {
        let perKey: (inout SimulatorConfiguration) -> Void = { $0.validation.tokenUpdateScope = .key }
        var (one, two, three) = (try World(perKey), try World(perKey), try World(perKey))
        let (first, second) = (try request("SAMETEAM01"), try request("SAMETEAM01", issuedAt: Request.now - 59))
        #expect(one.reason(first) == nil)
        two.ledger = one.ledger
        #expect(two.reason(second, now: Request.now + 1199) == .tooManyProviderTokenUpdates)
        #expect(two.reason(second, now: Request.now + 1200) == nil)
        // A third connection does not know of it yet.
        three.ledger = two.ledger
        #expect(three.reason(first, now: Request.now + 1201) == nil)
        let third = try request("SAMETEAM01", issuedAt: Request.now - 58)
        #expect(three.reason(third, now: Request.now + 1201) == .tooManyProviderTokenUpdates)
    }

    @Test
    func `how far a token may come from the future is a setting`() throws {
        for (skew, ahead, expected) in [
            (Duration.zero, 0, nil), (.zero, 1, .invalidProviderToken), (.seconds(300), 300, nil),
            (.seconds(300), 301, .invalidProviderToken), (nil, 1_000_000, nil),
        ] as [(Duration?, Int64, Reason?)] {
            var world = try World { $0.validation.clockSkew = skew }
            #expect(world.reason(try request("SAMETEAM01", issuedAt: Request.now + ahead)) == expected)
        }
    }
}

struct KeyConnectionTests {
    @Test(arguments: ValidationRules.TokenUpdateScope.allCases)
    func `two connections with a token each are two tokens of one key`(
        _ scope: ValidationRules.TokenUpdateScope
    ) async throws {
        let site = try await Site { $0.validation.tokenUpdateScope = scope }
        let device = try await site.device()
        var statuses: [Int] = []
        for issuedAt in [Request.now - 60, Request.now - 59] {
            var request = try Request()
            request[":path"] = "/3/device/\(device.deviceToken.hex)"
            request["authorization"] = try Authorization(issuedAt: issuedAt).value
            let connection = try await site.rawConnection(as: nil)
            statuses.append(try await connection.send(request.message).status)
            await connection.close()
        }
        #expect(statuses == (scope == .connection ? [200, 200] : [200, 429]))
        await site.simulator.close()
    }
}
