private import APNS
package import APNSProvider
import APNSSimulator
private import Glibc
package import Networking

/// Runs our provider client against a faulty server, over random schedules, many at the same time.
package struct ProviderSchedules: Sendable {
    package struct Result: Sendable {
        package fileprivate(set) var scheduleCount = 0
        package fileprivate(set) var notificationCount = 0
        package fileprivate(set) var outcomes: [ProviderScheduleVerifier.Outcome: Int] = [:]
        /// Notifications whose caller had gone before their report.
        package fileprivate(set) var untoldCount = 0
        /// Credentials that refusals suspended, and that recovered afterwards.
        package fileprivate(set) var pausedCount = 0
        /// Provider tokens beyond a schedule's first.
        package fileprivate(set) var renewalCount = 0
        /// Faults that requests and connections met.
        package fileprivate(set) var faultCount = 0
        package fileprivate(set) var connectionCount = 0
        package fileprivate(set) var failures: [String] = []
        package fileprivate(set) var mistakes: Set<ProviderScheduleVerifier.Mistake> = []
        /// Attempts ÷ notifications, over the schedules with few faults.
        package fileprivate(set) var attemptRatio = 1.0
        /// Growth of open descriptors between the first tenth and the end.
        package fileprivate(set) var descriptorGrowth = 0
        /// Growth of this process's own memory in bytes, between the first tenth and the end.
        package fileprivate(set) var memoryGrowth = 0
    }

    package typealias MakeProvider =
        @Sendable (APNSEndpoint, ProviderSchedule, APNSClientConfiguration) throws -> any ScheduledProvider

    private let seeds: [UInt64]
    private let identities: FaultIdentities
    private let trust: TLSTrust
    private let makeProvider: MakeProvider

    /// - Parameters:
    ///   - seed: Seed of the first; the others follow it.
    ///   - trust: The client's trust in the issuer of the right identity.
    package init(
        count: Int,
        seed: UInt64,
        identities: FaultIdentities,
        trust: TLSTrust,
        makeProvider: @escaping MakeProvider
    ) {
        seeds = (0..<count).map { seed &+ UInt64($0) }
        self.identities = identities
        self.trust = trust
        self.makeProvider = makeProvider
    }

    /// Our client, with its own credential and clock for each schedule.
    package init(
        count: Int,
        seed: UInt64,
        identities: FaultIdentities,
        trust: TLSTrust
    ) {
        self.init(count: count, seed: seed, identities: identities, trust: trust) { endpoint, _, configuration in
            let tokens = try ThrowawayProviderKey.tokens()
            return RealProvider(
                try APNSClient(endpoint: endpoint, credential: .token(tokens), configuration: configuration)
            )
        }
    }

    /// Throws if a server or a client could not be made.
    ///
    /// - Parameter laneCount: Concurrent schedules; most of a schedule is waiting.
    package func run(laneCount: Int) async throws(BenchError) -> Result {
        let stage = try Stage()
        defer { stage.stop() }
        var result = Result()
        var verifier = ProviderScheduleVerifier()
        let warmUpCount = max(1, seeds.count / 10)
        try await run(seeds[..<warmUpCount], laneCount, stage, &verifier, &result)
        let before = try Footprint.now()
        try await run(seeds[warmUpCount...], laneCount, stage, &verifier, &result)
        let after = try Footprint.now()
        result.descriptorGrowth = after.descriptorCount - before.descriptorCount
        result.memoryGrowth = after.byteCount - before.byteCount
        result.attemptRatio = verifier.attemptRatio
        return result
    }

    private func run(
        _ seeds: ArraySlice<UInt64>,
        _ laneCount: Int,
        _ stage: Stage,
        _ verifier: inout ProviderScheduleVerifier,
        _ result: inout Result
    ) async throws(BenchError) {
        var waiting = seeds
        var failure: BenchError?
        await withTaskGroup(of: Swift.Result<Ended, BenchError>.self) { group in
            func startNext() {
                guard let seed = waiting.popFirst() else { return }
                group.addTask { await carryOut(ProviderSchedule(seed: seed), stage) }
            }
            for _ in 0..<max(1, laneCount) { startNext() }
            for await ended in group {
                switch ended {
                case .success(let ended): result.add(ended, &verifier)
                case .failure(let error): failure = error
                }
                startNext()
            }
        }
        if let failure { throw failure }
        await stage.settle()
    }

    private func carryOut(_ schedule: ProviderSchedule, _ stage: Stage) async -> Swift.Result<Ended, BenchError> {
        let server: FaultServer
        let provider: any ScheduledProvider
        do {
            server = try await .start(schedule.plan, identities: identities, loop: stage.serverLoop)
            let configuration = schedule.configuration(trust: trust, loop: stage.clientLoop)
            provider = try makeProvider(APNSEndpoint(host: "127.0.0.1", port: server.port), schedule, configuration)
        } catch {
            return .failure(.operationFailed)
        }
        let run = ProviderScheduleRun(schedule: schedule, provider: provider, loop: stage.clientLoop)
        let (reports, isClosed) = await run.run()
        let ledger = await server.ledger()
        await server.close()
        return .success(Ended(schedule: schedule, reports: reports, isClosed: isClosed, ledger: ledger))
    }

    fileprivate struct Ended: Sendable {
        let schedule: ProviderSchedule
        let reports: [ProviderScheduleVerifier.Report]
        let isClosed: Bool
        let ledger: FaultLedger
    }

    private struct Stage: Sendable {
        let serverLoop: EventLoop
        let clientLoop: EventLoop

        init() throws(BenchError) {
            do throws(TransportError) {
                serverLoop = try EventLoop()
                clientLoop = try EventLoop()
            } catch {
                throw .operationFailed
            }
        }

        func stop() {
            clientLoop.stop()
            serverLoop.stop()
        }

        /// Lets a close on one loop reach the other: that takes a few turns of each.
        func settle() async {
            for _ in 0..<100 {
                await serverLoop.run {}
                await clientLoop.run {}
            }
        }
    }

    private struct Footprint {
        let descriptorCount: Int
        let byteCount: Int

        static func now() throws(BenchError) -> Footprint {
            var reading = try FootprintReading()
            let byteCount = try reading.byteCount()
            let descriptorCount = (0..<Int32(4_096)).count { fcntl($0, F_GETFD) >= 0 }
            return Footprint(descriptorCount: descriptorCount, byteCount: byteCount)
        }
    }
}

extension ProviderSchedules.Result {
    fileprivate mutating func add(_ ended: ProviderSchedules.Ended, _ verifier: inout ProviderScheduleVerifier) {
        let schedule = ended.schedule
        var mistakes = verifier.mistakes(
            in: ended.reports,
            of: schedule.notifications.map(\.id),
            ended.ledger,
            rules: schedule.rules,
            faultRate: schedule.faultRate
        )
        // All sends have ended, and the client has not closed.
        if !ended.isClosed { mistakes.insert(.noOutcome) }
        scheduleCount += 1
        notificationCount += schedule.notifications.count
        faultCount += ended.ledger.faultCount
        connectionCount += ended.ledger.connections.count
        untoldCount += schedule.rules.mayGoUntold.subtracting(ended.reports.map(\.id)).count
        let standstill = ProviderScheduleVerifier.Standstill(ended.reports, ended.ledger)
        if let standstill, standstill.isLongEnough, standstill.isOver { pausedCount += 1 }
        renewalCount += max(0, Set(ended.ledger.requests.compactMap(\.tokenIssuedAt)).count - 1)
        for report in ended.reports { outcomes[report.outcome, default: 0] += 1 }
        self.mistakes.formUnion(mistakes)
        guard !mistakes.isEmpty else { return }
        let wrong = ended.reports.first {
            !ProviderScheduleVerifier.mistakes(in: $0, ended.ledger[$0.id], schedule.rules).isEmpty
        }
        let told = Set(ended.reports.map(\.id))
        let untold = schedule.calls.filter { call in !call.notifications.allSatisfy { told.contains($0.id) } }
            .map { "; \($0.form), cancelled after \($0.cancelDelay, default: "no time")" }
        let detail = wrong.map { "; \($0.outcome.rawValue) after \($0.duration): \($0.detail)" } ?? ""
        failures.append("\(mistakes.map(\.rawValue).sorted()) in \(schedule)\(detail)\(untold.joined())")
    }
}
