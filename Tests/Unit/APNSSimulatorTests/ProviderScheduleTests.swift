import APNSProvider
import Foundation
import Networking
import TestSupport
import Testing

@testable import APNSSimulator
@testable import Bench

/// Our provider client, and some with planted mistakes, under every fault of a server.
@Suite struct ProviderScheduleTests {
    /// `SEALEDPUSH_SCHEDULE_COUNT` chooses other schedules and their number, say ten thousand, for a run of this test
    /// alone: descriptors and memory are checked then too.
    @Test func `over random faults no notification is lost, doubled in silence or kept waiting`() async throws {
        let wanted = ProcessInfo.processInfo.environment["SEALEDPUSH_SCHEDULE_COUNT"].flatMap { Int($0) }
        let count = wanted ?? 300
        let seed = wanted == nil ? 2026 : UInt64.random(in: 0...UInt64(UInt32.max))
        let site = try FaultSite()
        let result = try await run(count, seed: seed, at: site)
        #expect(result.scheduleCount == count && result.notificationCount >= 20 * count)
        #expect(result.outcomes.values.reduce(0, +) + result.untoldCount == result.notificationCount)
        try await askForEveryOutcome(after: result, seed: seed, at: site)
        // A machine that pauses for longer than an answer's deadline causes justified attempts; a client that makes too
        // many makes them in every run.
        var attemptRatio = result.attemptRatio
        for round in 1...3 as ClosedRange<UInt64> where attemptRatio > ProviderScheduleVerifier.attemptRatioMax {
            attemptRatio = try await run(100, seed: seed &+ 1_000 * round, at: site).attemptRatio
        }
        #expect(attemptRatio <= ProviderScheduleVerifier.attemptRatioMax, "seed \(seed)")
        #expect(result.faultCount > count)
        guard wanted != nil else { return }
        print("seed \(seed): \(result.outcomes), untold \(result.untoldCount)")
        print("lanes that paused: \(result.pausedCount), tokens made anew: \(result.renewalCount)")
        print(
            "attempts for each: \(result.attemptRatio), descriptors \(result.descriptorGrowth), bytes \(result.memoryGrowth)"
        )
        #expect(result.descriptorGrowth <= 0 && result.memoryGrowth < 4 << 20)
    }

    /// Runs schedules with our client, which breaks no promise in any of them.
    private func run(_ count: Int, seed: UInt64, at site: FaultSite) async throws -> ProviderSchedules.Result {
        let schedules = ProviderSchedules(
            count: count,
            seed: seed,
            identities: site.identities,
            trust: .pem(site.authorityPEM)
        )
        let result = try await schedules.run(laneCount: 12)
        #expect(result.failures.isEmpty, "\(result.failures.joined(separator: "\n"))")
        return result
    }

    /// Tries further schedules until each outcome was seen, as a fault's outcome depends on the machine's speed at the
    /// moment.
    private func askForEveryOutcome(
        after first: ProviderSchedules.Result,
        seed: UInt64,
        at site: FaultSite
    ) async throws {
        var seen = Set(first.outcomes.keys)
        // Five Shutdowns in a row are too rare to be required.
        let wanted = Set(ProviderScheduleVerifier.Outcome.allCases).subtracting([.shutDown])
        var hasPaused = first.pausedCount > 0
        var hasRenewed = first.renewalCount > 0
        for round in 1...20 where !seen.isSuperset(of: wanted) || !hasPaused || !hasRenewed {
            let more = try await run(100, seed: seed &+ UInt64(round), at: site)
            seen.formUnion(more.outcomes.keys)
            hasPaused = hasPaused || more.pausedCount > 0
            hasRenewed = hasRenewed || more.renewalCount > 0
        }
        #expect(wanted.subtracting(seen).isEmpty && hasPaused && hasRenewed, "seed \(seed)")
    }

    /// Tries further schedules until each mistake shows, which depends on the machine's speed at the moment.
    private func mistakes(
        of makeProvider: @escaping ProviderSchedules.MakeProvider,
        until expected: Set<ProviderScheduleVerifier.Mistake>,
        at site: FaultSite
    ) async throws -> Set<ProviderScheduleVerifier.Mistake> {
        var found: Set<ProviderScheduleVerifier.Mistake> = []
        for seed in 1...20 as ClosedRange<UInt64> where !found.isSuperset(of: expected) {
            let schedules = ProviderSchedules(
                count: 60,
                seed: seed,
                identities: site.identities,
                trust: .pem(site.authorityPEM),
                makeProvider: makeProvider
            )
            found.formUnion(try await schedules.run(laneCount: 8).mistakes)
        }
        return found
    }

    private func client(_ endpoint: APNSEndpoint, _ configuration: APNSClientConfiguration) throws -> APNSClient {
        try APNSClient(endpoint: endpoint, credential: .token(try FaultSite.tokens()), configuration: configuration)
    }

    @Test func `a client that resends everything is caught`() async throws {
        let mistakes = try await mistakes(
            of: { EverythingResender(provider: RealProvider(try client($0, $2))) },
            until: [.doubledUnmarked, .doubledAgainstRules],
            at: try FaultSite()
        )
        #expect(mistakes.isSuperset(of: [.doubledUnmarked, .doubledAgainstRules]))
    }

    @Test func `a client that resends nothing is caught`() async throws {
        let mistakes = try await mistakes(
            of: { endpoint, _, configuration in
                var configuration = configuration
                configuration.attemptCountMax = 1
                return RealProvider(try client(endpoint, configuration))
            },
            until: [.givenUpTooSoon],
            at: try FaultSite()
        )
        #expect(mistakes.contains(.givenUpTooSoon))
    }

    @Test func `a client that gives a batch's results in another order is caught`() async throws {
        let mistakes = try await mistakes(
            of: { BatchReverser(client: try client($0, $2)) },
            until: [.anothersAnswer],
            at: try FaultSite()
        )
        #expect(mistakes.contains(.anothersAnswer))
    }

    @Test func `a client that tells answers in the order of their questions is caught`() async throws {
        let mistakes = try await mistakes(
            of: { OrderKeeper(provider: RealProvider(try client($0, $2))) },
            until: [.outOfOrder],
            at: try FaultSite()
        )
        #expect(mistakes.contains(.outOfOrder))
    }

    @Test func `a client that ignores SETTINGS is caught`() async throws {
        let site = try FaultSite()
        let mistakes = try await mistakes(
            of: { endpoint, _, _ in HeedlessProvider(endpoint, site.clientContext, site.clientLoop) },
            until: [.tooManyStreams],
            at: site
        )
        #expect(mistakes.contains(.tooManyStreams))
    }
}
