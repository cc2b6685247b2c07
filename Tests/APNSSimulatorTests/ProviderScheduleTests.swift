import APNSProvider
import Bench
import Foundation
import TestSupport
import Testing
import Transport

@testable import APNSSimulator

/// Our provider client, and some that make a mistake on purpose, under whatever a server may do to them.
@Suite struct ProviderScheduleTests {
    /// `SEALEDPUSH_SCHEDULE_COUNT` asks for others and more, ten thousand say, in a run of this test alone: then what
    /// stays open or in memory is looked at too.
    @Test func `over random faults no notification is lost, doubled in silence or kept waiting`() async throws {
        let wanted = ProcessInfo.processInfo.environment["SEALEDPUSH_SCHEDULE_COUNT"].flatMap { Int($0) }
        let count = wanted ?? 300
        let seed = wanted == nil ? 2026 : UInt64.random(in: 0...UInt64(UInt32.max))
        let site = try FaultSite()
        let schedules = ProviderSchedules(
            count: count,
            seed: seed,
            identities: site.identities,
            trust: .pem(site.authorityPEM)
        )
        let result = try await schedules.run(laneCount: 12)
        #expect(result.failures.isEmpty, "\(result.failures.joined(separator: "\n"))")
        #expect(result.scheduleCount == count && result.notificationCount >= 20 * count)
        #expect(result.outcomes.values.reduce(0, +) + result.untoldCount == result.notificationCount)
        if count >= 300 {
            // Five Shutdowns in a row are too rare to be asked for.
            let missing = ProviderScheduleJudge.Outcome.allCases.filter {
                $0 != .shutDown && result.outcomes[$0] == nil
            }
            #expect(missing.isEmpty, "seed \(seed)")
            #expect(result.pausedCount > 0 && result.renewalCount > 0, "seed \(seed)")
        }
        #expect(result.attemptRatio <= ProviderScheduleJudge.attemptRatioMax, "seed \(seed)")
        #expect(result.faultCount > count)
        guard wanted != nil else { return }
        print("seed \(seed): \(result.outcomes), untold \(result.untoldCount)")
        print("lanes that paused: \(result.pausedCount), tokens made anew: \(result.renewalCount)")
        print(
            "attempts for each: \(result.attemptRatio), descriptors \(result.descriptorGrowth), bytes \(result.memoryGrowth)"
        )
        #expect(result.descriptorGrowth <= 0 && result.memoryGrowth < 4 << 20)
    }

    private func mistakes(
        of makeProvider: @escaping ProviderSchedules.MakeProvider,
        at site: FaultSite
    ) async throws -> Set<ProviderScheduleJudge.Mistake> {
        let schedules = ProviderSchedules(
            count: 60,
            seed: 1,
            identities: site.identities,
            trust: .pem(site.authorityPEM),
            makeProvider: makeProvider
        )
        return try await schedules.run(laneCount: 8).mistakes
    }

    private func client(_ endpoint: APNSEndpoint, _ configuration: APNSClientConfiguration) throws -> APNSClient {
        try APNSClient(endpoint: endpoint, credential: .token(try FaultSite.tokens()), configuration: configuration)
    }

    @Test func `a client that resends everything is caught`() async throws {
        let mistakes = try await mistakes(
            of: { EverythingResender(provider: RealProvider(try client($0, $2))) },
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
            at: try FaultSite()
        )
        #expect(mistakes.contains(.givenUpTooSoon))
    }

    @Test func `a client that gives a batch's results in another order is caught`() async throws {
        let mistakes = try await mistakes(of: { BatchReverser(client: try client($0, $2)) }, at: try FaultSite())
        #expect(mistakes.contains(.anothersAnswer))
    }

    @Test func `a client that tells answers in the order of their questions is caught`() async throws {
        let mistakes = try await mistakes(
            of: { OrderKeeper(provider: RealProvider(try client($0, $2))) },
            at: try FaultSite()
        )
        #expect(mistakes.contains(.outOfOrder))
    }

    @Test func `a client that ignores SETTINGS is caught`() async throws {
        let site = try FaultSite()
        let mistakes = try await mistakes(
            of: { endpoint, _, _ in HeedlessProvider(endpoint, site.clientContext, site.clientLoop) },
            at: site
        )
        #expect(mistakes.contains(.tooManyStreams))
    }
}
