import APNS
import Primitives
import TestSupport
import Testing

@testable import APNSProvider

struct ProviderTokenRenewalTests {
    private static func source() throws -> ProviderTokenSource {
        ProviderTokenSource(
            key: try ThrowawayKeys.first(),
            keyID: try KeyID("ABC123DEFG"),
            teamID: try TeamID("DEF123GHIJ")
        )
    }

    /// 2035, so that today's date does not matter.
    private static let wall: Int64 = 2_051_222_400

    @Test func `many threads at once get one and the same token`() async throws {
        let source = try Self.source()
        for uptime in [100, 100 + 3000, 100 + 6000] as [Int64] {
            let now = Moment(unixSeconds: Self.wall + uptime, uptimeSeconds: uptime)
            let tokens = try await withThrowingTaskGroup(of: ProviderToken.self) { group in
                for _ in 0..<64 { group.addTask { @concurrent in try source.token(at: now) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(tokens.count == 64)
            // Every signature has its own random number: equal bytes mean one signature.
            #expect(tokens.allSatisfy { $0 == tokens[0] })
            #expect(tokens[0].issuedAt == now.unixSeconds)
        }
    }

    @Test func `the age is that of a token that pushes go out with: one that rests has none`() throws {
        let source = try Self.source()
        func moment(_ uptime: Int64) -> Moment { Moment(unixSeconds: Self.wall + uptime, uptimeSeconds: uptime) }
        #expect(source.tokenAgeSeconds(at: moment(100)) == nil)
        _ = try source.token(at: moment(100))
        #expect(source.tokenAgeSeconds(at: moment(100)) == 0)
        #expect(source.tokenAgeSeconds(at: moment(160)) == 60)
        #expect(source.tokenAgeSeconds(at: moment(161)) == nil)
        _ = try source.token(at: moment(3_000))
        #expect(source.tokenAgeSeconds(at: moment(3_010)) == 2_910)
        // It is due, and the push at that time renews it.
        #expect(source.tokenAgeSeconds(at: moment(9_000)) == nil)
        _ = try source.token(at: moment(9_000))
        #expect(source.tokenAgeSeconds(at: moment(9_001)) == 1)
    }

    @Test func `threads whose clocks were read in another order do not make a second token`() throws {
        let source = try Self.source()
        let token = try source.token(at: Moment(unixSeconds: Self.wall, uptimeSeconds: 5000))
        // Read before, and used only now.
        for late in [1, 60, 4999] as [Int64] {
            #expect(
                try source.token(at: Moment(unixSeconds: Self.wall - late, uptimeSeconds: 5000 - late)) == token
            )
        }
    }

    /// One event between two pushes.
    private enum Mishap: CaseIterable {
        case none, wallBack, wallForward, wallToTheEpoch, wallRight, refusedAsExpired, refusedAsTooMany
    }

    @Test(arguments: 0..<20)
    func `whatever clocks and refusals do, tokens are twenty minutes apart and younger than sixty`(
        _ round: Int
    ) throws {
        let seed = RunSeed.here() &+ UInt64(round)
        var generator = SeededRandom(seed: seed)
        let source = try Self.source()
        var now = Moment(unixSeconds: Self.wall, uptimeSeconds: 100)
        var token = try source.token(at: now)
        // Every token so far: a refused one may come back, and the next still has to keep its distance from it.
        var made = [(token: token, at: now.uptimeSeconds)]
        for _ in 0..<2000 {
            let seconds = Int64.random(in: 0...400, using: &generator)
            now.uptimeSeconds += seconds
            now.unixSeconds += seconds
            switch Mishap.allCases.randomElement(using: &generator) ?? .none {
            case .none: break
            case .wallBack: now.unixSeconds -= .random(in: 1...100_000, using: &generator)
            case .wallForward: now.unixSeconds += .random(in: 1...100_000, using: &generator)
            case .wallToTheEpoch: now.unixSeconds = 0
            case .wallRight: now.unixSeconds = Self.wall + now.uptimeSeconds - 100
            case .refusedAsExpired: source.tokenWasRefused(token, for: .expiredProviderToken)
            case .refusedAsTooMany: source.tokenWasRefused(token, for: .tooManyProviderTokenUpdates, at: now)
            }
            token = try source.token(at: now)
            if let known = made.last(where: { $0.token == token }) {
                #expect(now.uptimeSeconds - known.at < 60 * 60, "seed \(seed)")
            } else {
                #expect(now.uptimeSeconds - made[made.count - 1].at >= 20 * 60, "seed \(seed)")
                #expect(token.issuedAt == now.unixSeconds, "seed \(seed)")
                made.append((token, now.uptimeSeconds))
            }
        }
        // About 400,000 seconds have passed.
        #expect(made.count > 60, "seed \(seed)")
    }

    @Test func `a machine that slept for hours wakes up with a new token`() throws {
        let source = try Self.source()
        let first = try source.token(at: Moment(unixSeconds: Self.wall, uptimeSeconds: 100))
        let woken = Moment(unixSeconds: Self.wall + 30_000, uptimeSeconds: 30_100)
        #expect(try source.token(at: woken) != first)
        #expect(try source.token(at: woken).issuedAt == woken.unixSeconds)
    }

    @Test func `when APNs says that tokens change too often, the one before comes back and stays`() throws {
        let source = try Self.source()
        func moment(_ seconds: Int64) -> Moment {
            Moment(unixSeconds: Self.wall + seconds, uptimeSeconds: 100 + seconds)
        }
        let first = try source.token(at: moment(0))
        source.tokenWasRefused(first, for: .expiredProviderToken, at: moment(1260))
        let second = try source.token(at: moment(1260))
        #expect(second != first)
        source.tokenWasRefused(second, for: .tooManyProviderTokenUpdates, at: moment(1300))
        for seconds in [1300, 2000, 2559] as [Int64] { #expect(try source.token(at: moment(seconds)) == first) }
        // Before APNs would take it for expired a new one comes in any case.
        #expect(try source.token(at: moment(3480)) != first)
    }

    @Test func `when the one that came back is too old, the one that was too many is young enough`() throws {
        let source = try Self.source()
        func moment(_ minutes: Int64) -> Moment {
            Moment(unixSeconds: Self.wall + 60 * minutes, uptimeSeconds: 100 + 60 * minutes)
        }
        let first = try source.token(at: moment(0))
        let second = try source.token(at: moment(50))
        source.tokenWasRefused(second, for: .tooManyProviderTokenUpdates, at: moment(51))
        for minutes in [51, 57] as [Int64] { #expect(try source.token(at: moment(minutes)) == first) }
        // A third one would be 8 minutes from the second.
        for minutes in [58, 60, 99] as [Int64] { #expect(try source.token(at: moment(minutes)) == second) }
        let third = try source.token(at: moment(100))
        #expect(third != first && third != second)
    }

    @Test func `clocks at the ends of time end nothing`() throws {
        let source = try Self.source()
        for unix in [Int64.min, -1, 0, .max] {
            for uptime in [Int64.min, 0, .max] {
                let token = try source.token(at: Moment(unixSeconds: unix, uptimeSeconds: uptime))
                let now = Moment(unixSeconds: ~unix, uptimeSeconds: ~uptime)
                source.tokenWasRefused(token, for: .tooManyProviderTokenUpdates, at: now)
                _ = try source.token(at: now)
            }
        }
    }

    @Test func `two keys of one team have tokens that do not touch each other`() throws {
        let one = try Self.source()
        let two = ProviderTokenSource(
            key: try ThrowawayKeys.second(),
            keyID: try KeyID("HIJ123KLMN"),
            teamID: try TeamID("DEF123GHIJ")
        )
        let now = Moment(unixSeconds: Self.wall, uptimeSeconds: 100)
        let (first, second) = (try one.token(at: now), try two.token(at: now))
        #expect(first != second)
        one.tokenWasRefused(first, for: .expiredProviderToken)
        one.tokenWasRefused(second, for: .expiredProviderToken)
        let later = Moment(unixSeconds: Self.wall + 1260, uptimeSeconds: 1360)
        #expect(try one.token(at: later) != first)
        #expect(try two.token(at: later) == second)
    }
}
