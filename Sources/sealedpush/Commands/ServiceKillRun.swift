import Bench
import Envelope
import Glibc
import HTTPSClient
import Keys
import PushStore
import Transport

/// `bench service --kills`: the relay is killed at random moments while it takes and sends, and started again; in the end
/// everything that it acknowledged has to be at APNs.
struct ServiceKillRun {
    let stage: ServiceBenchStage
    let load: ServiceLoad
    let killCount: Int

    /// What the store held at the kills.
    private struct States {
        var queued = 0
        var sending = 0
        var parked = 0
        var ended = 0
    }

    func run() async throws {
        let tally = ServiceTally(load, first: 0)
        var states = States()
        let start = MonotonicTime.now()
        for _ in 0..<killCount {
            let relay = try stage.startRelay()
            let driver = try stage.driver(of: relay)
            async let posting: Void = driver.run(load, untilGone: tally)
            try await Task.sleep(for: .milliseconds(.random(in: 1...400)))
            relay.crash()
            // A relay that dies before the driver is connected is one more moment to die at.
            try? await posting
            try await count(&states)
        }
        let relay = try stage.startRelay()
        let driver = try stage.driver(of: relay)
        try await driver.run(load, untilGone: tally)
        tally.didPost()
        try await waitUntilEmpty(relay, tally)
        relay.stop()
        let report = tally.report(since: start)
        try Output.print(
            """
            killed \(killCount) times; found queued \(states.queued), sending \(states.sending), \
            parked \(states.parked), ended \(states.ended)
            acknowledged \(report.acceptedCount), of these at APNs \(report.acceptedCount - report.lostCount), \
            lost \(report.lostCount); again at APNs \(report.duplicateCount), never more than were found sending
            """
        )
        guard report.lostCount == 0, report.duplicateCount <= states.sending else {
            throw CommandFailure.failed("the relay broke its promise")
        }
    }

    /// Until everything has arrived, or the relay has had nothing left for a while and something is missing.
    private func waitUntilEmpty(_ relay: RelayProcess, _ tally: ServiceTally) async throws {
        var emptyCount = 0
        while !tally.isDone, emptyCount < 50 {
            let text = String(decoding: try relay.call(.get, "/v1/metrics").bytes, as: UTF8.self)
            let depths = text.split(separator: "\n").filter { $0.hasPrefix("sealedpush_queue_depth{") }
            emptyCount = depths.allSatisfy { $0.hasSuffix(" 0") } ? emptyCount + 1 : 0
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// What the dead relay has left in its file.
    private func count(_ states: inout States) async throws {
        let store = try stage.openStore()
        for row in try await store.counts() {
            states.queued += row.queued
            states.parked += row.parked
            states.ended += row.accepted + row.delivered + row.dead + row.expired
        }
        // Opening it has queued them again.
        states.sending += store.openingReport.interruptedCount
        states.queued -= store.openingReport.interruptedCount
        await store.close()
    }
}
