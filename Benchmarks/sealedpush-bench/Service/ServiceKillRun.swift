import Bench
import ChildProcesses
import CommandLineTool
import Envelope
import Networking
import PushStore

/// `sealedpush-bench service --kills`: kills the relay under load and restarts it, repeatedly. Finally every
/// acknowledged notification has to have reached an end, once.
struct ServiceKillRun {
    /// A load with every kind of ending. It tests for losses, not speed.
    static func load(_ asked: ServiceLoad) -> ServiceLoad {
        var load = asked
        load.isMixed = true
        load.receiptPercent = 100
        load.inFlightCount = 16
        // Until the last kill: without work a life would not reach its moment.
        load.length = .time(.seconds(1 << 30))
        return load
    }

    /// Limit of a life that does not reach its moment on a starved machine.
    private static let lifeMax = Duration.seconds(120)
    private static let cycleCountMax = 30
    private static let receiptCountMax = 200
    /// One device in a hundred sends receipts.
    private static let receiptRemainder = 3
    private static let lookCount = 500

    let stage: ServiceBenchStage
    let killCount: Int
    let postCount: Int
    let seed: UInt64
    let printsJSON: Bool

    /// Throws also if the relay broke its promise.
    func run() async throws {
        let tally = ServiceTally(stage.load, first: 0, keepsNames: true)
        var schedule = KillSchedule(seed: seed, countMax: max(1, postCount / (killCount + 1)))
        var histogram = KillHistogram()
        var lives = KillLives()
        var interruptedCount = 0
        var receiptsFrom = 0
        for kill in 0..<killCount {
            let relay = try stage.startRelay()
            interruptedCount += relay.process.interruptedCount
            let receipts = receipts(&receiptsFrom, tally)
            do {
                lives.add(try await live(relay, until: schedule.next(), receipts, tally))
            } catch {
                relay.process.crash()
                throw relay.failure(error)
            }
            Output.progress("killed \(kill + 1) of \(killCount) times", isLast: kill + 1 == killCount)
            // Opening the store here also recovers it: every other time that is left to the relay.
            guard kill % 2 == 1 else { continue }
            let store = try stage.openStore()
            let found = store.openingReport.interruptedCount
            interruptedCount += found
            histogram.add(Self.states(try await store.counts(), interruptedCount: found))
            await store.close()
        }
        let verifier = try await finish(tally, &interruptedCount)
        try report(tally, lives, histogram, verifier, interruptedCount)
    }

    // MARK: A life

    private func live(
        _ relay: ServiceBenchRelay,
        until moment: KillSchedule.Moment,
        _ receipts: [Int],
        _ tally: ServiceTally
    ) async throws -> KillLives.Life {
        let posting = try await relay.driver.begin(stage.load, tally)
        let life = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try await posting.postReceipts(receipts)
                try await posting.postUntilGone()
            }
            let life = try await Self.wait(for: moment, tally)
            relay.process.crash()
            try await group.waitForAll()
            return life
        }
        await posting.close()
        return life
    }

    private static func wait(for moment: KillSchedule.Moment, _ tally: ServiceTally) async throws -> KillLives.Life {
        let start = ContinuousClock.now
        let (accepted, arrived, statuses) = (tally.acceptedCount, tally.arrivalCount, tally.statusCounts)
        while true {
            let time = start.duration(to: .now)
            let life = KillLives.Life(
                moment: moment,
                milliseconds: Int(time / .milliseconds(1)),
                acceptedCount: tally.acceptedCount - accepted,
                arrivalCount: tally.arrivalCount - arrived,
                statusCounts: tally.statusCounts.merging(statuses) { $0 - $1 }
            )
            if life.isMet || time >= lifeMax { return life }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Notifications whose receipts have not been sent yet.
    private func receipts(_ first: inout Int, _ tally: ServiceTally) -> [Int] {
        var numbers: [Int] = []
        while first < tally.nextNumber, numbers.count < Self.receiptCountMax {
            if first % 100 == Self.receiptRemainder, tally.isDelivered(first) { numbers.append(first) }
            first += 1
        }
        return numbers
    }

    private static func states(_ rows: [LaneCount], interruptedCount: Int) -> [KillHistogram.State: Int] {
        var counts: [KillHistogram.State: Int] = [.sending: interruptedCount]
        for row in rows {
            counts[.queued, default: 0] += row.queued
            counts[.parked, default: 0] += row.parked
            counts[.accepted, default: 0] += row.accepted
            counts[.delivered, default: 0] += row.delivered
            counts[.dead, default: 0] += row.dead
            counts[.expired, default: 0] += row.expired
        }
        // Opening the store has queued them again.
        counts[.queued, default: 0] -= interruptedCount
        return counts
    }

    // MARK: The end

    /// Posts the rest, runs the relay until every acknowledged notification has an end, and judges it. Others may wait
    /// minutes for another attempt.
    private func finish(_ tally: ServiceTally, _ interruptedCount: inout Int) async throws -> KillVerifier {
        tally.limit(to: postCount)
        for cycle in 1...Self.cycleCountMax {
            let relay = try stage.startRelay()
            interruptedCount += relay.process.interruptedCount
            do {
                let posting = try await relay.driver.begin(stage.load, tally)
                try await posting.post()
                await posting.close()
                // Parked, dead and gone ones have no arrival to wait for.
                try await Task.sleep(for: .milliseconds(200 * cycle))
            } catch {
                relay.process.crash()
                throw relay.failure(error)
            }
            relay.process.stop()
            let store = try stage.openStore()
            var verifier = try await judge(tally, store)
            verifier.leftCount = try await store.counts().reduce(0) { $0 + $1.queued + $1.sending }
            guard verifier.lostCount == 0 || cycle == Self.cycleCountMax else {
                await store.close()
                continue
            }
            verifier.repeats = try await RepeatVerifier(tally.repeats, in: store)
            await store.close()
            return verifier
        }
        preconditionFailure("the last cycle returns")
    }

    private func judge(_ tally: ServiceTally, _ store: SQLiteStore) async throws -> KillVerifier {
        var verifier = KillVerifier()
        for start in stride(from: 0, to: tally.nextNumber, by: Self.lookCount) {
            let numbers = Array(start..<min(start + Self.lookCount, tally.nextNumber))
            let entries = try await store.newestEntries(numbers.map { ServiceRecipients.trace($0) })
            for (number, entry) in zip(numbers, entries) {
                guard tally.isAccepted(number) else { continue }
                verifier.add(entry?.state, isAtAPNs: tally.isDelivered(number))
            }
        }
        return verifier
    }

    private func report(
        _ tally: ServiceTally,
        _ lives: KillLives,
        _ histogram: KillHistogram,
        _ verifier: KillVerifier,
        _ interruptedCount: Int
    ) throws(CommandError) {
        let report = tally.report(since: .now())
        if printsJSON {
            try Output.print(json(report, tally.renamedCount, lives, histogram, verifier, interruptedCount))
        } else {
            let rows = KillHistogram.State.allCases.map { state in
                let row = histogram[state]
                return "  \(state.rawValue): in \(row.killCount) kills, \(row.notificationCount) notifications"
            }
            try Output.print(
                """
                killed \(killCount) times from seed \(seed); what \(histogram.killCount) of the kills found in the store:
                \(rows.joined(separator: "\n"))
                lives that did not come to their moment \(lives.unmetCount); the longest took \(lives.longest) ms
                acknowledged \(report.acceptedCount): at APNs \(verifier.acceptedCount), dead letters \(verifier.deadCount), \
                parked \(verifier.parkedCount), expired \(verifier.expiredCount), lost \(verifier.lostCount); \
                not acknowledged and still under way \(verifier.leftCount)
                interrupted while they were sent \(interruptedCount); \(ServiceBenchText.sentence(verifier.repeats)), under \
                another apns-id \(tally.renamedCount)
                """
            )
        }
        guard lives.isGood else {
            let lines = lives.unmet.map(\.description).joined(separator: "\n")
            throw .failed(
                "\(lives.unmetCount) lives did not come to their moment; --seed \(seed) repeats it:\n\(lines)"
            )
        }
        guard histogram.missing.isEmpty else {
            let names = histogram.missing.map(\.rawValue).joined(separator: ", ")
            throw .failed("no kill has found anything \(names)")
        }
        guard verifier.isGood, tally.renamedCount == 0, report.duplicateCount <= interruptedCount else {
            throw .failed("the relay broke its promise; --seed \(seed) repeats it")
        }
    }

    private func json(
        _ report: ServiceLoadReport,
        _ renamedCount: Int,
        _ lives: KillLives,
        _ histogram: KillHistogram,
        _ verifier: KillVerifier,
        _ interruptedCount: Int
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("load", "kills")
            writer.member("kills", killCount)
            writer.member("seed", String(seed))
            writer.member("unmet", lives.unmetCount)
            writer.member("longest-milliseconds", lives.longest)
            writer.member("accepted", report.acceptedCount)
            writer.member("ended-accepted", verifier.acceptedCount)
            writer.member("ended-dead", verifier.deadCount)
            writer.member("parked", verifier.parkedCount)
            writer.member("ended-expired", verifier.expiredCount)
            writer.member("lost", verifier.lostCount)
            writer.member("interrupted", interruptedCount)
            writer.member("duplicates", report.duplicateCount)
            writer.member("needless-duplicates", verifier.repeats.needlessCount)
            writer.member("renamed", renamedCount)
            writer.name("found")
            writer.object { writer in
                for state in KillHistogram.State.allCases {
                    writer.member(state.rawValue, histogram[state].killCount)
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
