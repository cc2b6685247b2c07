import Bench
import Envelope
import HTTPSClient
import PushStore
import Transport

/// A relay's life with loads that are timed: what is made once first, then the load, then perhaps too much of it.
struct ServiceTimedRun {
    private static let warmUpCount = 2_000
    /// A relay that is to refuse something has to see more than one connection holds.
    private static let floodConnectionCount = 16
    private static let floodSeconds = 5...60
    private static let sampleCount = 20

    private let stage: ServiceBenchStage
    private let load: ServiceLoad
    private let overload: Int?
    private let text: ServiceBenchText

    init(_ stage: ServiceBenchStage, overload: Int?, printsJSON: Bool) {
        self.stage = stage
        load = stage.load
        self.overload = overload
        text = ServiceBenchText(printsJSON: printsJSON)
    }

    /// - Returns: nanoseconds of the relay's processor time for each notification.
    /// - Throws: what a process says; why the load had no end.
    func run() async throws -> Int {
        let relay = try stage.startRelay()
        do {
            let (cost, tally) = try await measure(relay)
            relay.process.stop()
            try await judge(tally)
            return cost
        } catch {
            relay.process.crash()
            throw relay.failure(error)
        }
    }

    /// What came again, by what the relay has left behind.
    private func judge(_ tally: ServiceTally) async throws {
        let store = try stage.openStore()
        let judge = try await RepeatJudge(tally.repeats, in: store)
        await store.close()
        try text.printRepeats(judge)
        guard judge.isGood else {
            throw CommandFailure.failed("the relay sent again what APNs had answered")
        }
    }

    /// - Returns: nanoseconds of each; the last load's tally.
    private func measure(_ relay: ServiceBenchRelay) async throws -> (cost: Int, ServiceTally) {
        // Connections, statements and memory that are made once are no notification's.
        var warmUp = load
        warmUp.length = .posts(max(1, min(Self.warmUpCount, postCountMax) / load.recipientCount))
        warmUp.rate = nil
        let warm = try await post(warmUp, after: nil, relay)
        let steady = try await post(load, after: warm, relay)
        var last = steady
        try text.print("steady", steady.figures)
        if case .time = load.length { try text.printFlatness(steady.figures.samples) }
        if load.receiptPercent > 0 { try await postReceipts(steady, relay) }
        if let overload {
            let capacity = steady.figures.report
            let rate = capacity.sustainedPerSecond / load.recipientCount * overload
            var flood = load
            flood.rate = max(1, rate)
            flood.backlogMax = nil
            flood.connectionCount = Self.floodConnectionCount
            let seconds = steady.figures.report.deliveryNanoseconds / 1_000_000_000
            flood.length = .time(
                .seconds(min(max(seconds, Self.floodSeconds.lowerBound), Self.floodSeconds.upperBound))
            )
            let flooded = try await post(flood, after: steady, relay)
            last = flooded
            try text.print("overload", flooded.figures)
            try text.printOverload(steady.figures, flooded.figures, plannedPerSecond: rate)
        }
        return (steady.figures.cpuNanoseconds, last.tally)
    }

    private var postCountMax: Int {
        if case .posts(let count) = load.length { count * load.recipientCount } else { .max }
    }

    // MARK: One load

    private struct Posted {
        let figures: ServiceFigures
        /// The number of the first notification, and behind the last.
        let first: Int
        let next: Int
        let tally: ServiceTally
    }

    private func post(
        _ load: ServiceLoad,
        after earlier: Posted?,
        _ relay: ServiceBenchRelay
    ) async throws -> Posted {
        let first = earlier?.next ?? 0
        let tally = ServiceTally(load, first: first, after: earlier?.tally)
        let posting = try await relay.driver.begin(load, tally)
        let before = try relay.reading()
        let start = MonotonicTime.now()
        let samples = try await sampled(relay.process.processID, load) { try await posting.post() }
        let posted = try relay.reading()
        let postNanoseconds = Int((MonotonicTime.now() - start) / .nanoseconds(1))
        try await posting.waitUntilDelivered()
        let after = try relay.reading()
        await posting.close()
        let figures = ServiceFigures(
            report: tally.report(since: start),
            before: before,
            posted: posted,
            after: after,
            postNanoseconds: postNanoseconds,
            samples: [before.process] + samples + [posted.process]
        )
        return Posted(figures: figures, first: first, next: tally.nextNumber, tally: tally)
    }

    /// Looks at the process now and then while `body` runs, where that is a matter of time.
    private func sampled(
        _ processID: Int32,
        _ load: ServiceLoad,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> [ProcessReading] {
        guard case .time(let time) = load.length else {
            try await body()
            return []
        }
        return try await withThrowingTaskGroup(of: [ProcessReading].self) { group in
            group.addTask {
                try await body()
                return []
            }
            group.addTask {
                var samples: [ProcessReading] = []
                // A cancelled sleep ends it; a process that is gone is the other task's to tell.
                while (try? await Task.sleep(for: time / Self.sampleCount)) != nil {
                    if let sample = try? ProcessReading(of: processID) { samples.append(sample) }
                }
                return samples
            }
            _ = try await group.next()
            group.cancelAll()
            return try await group.next() ?? []
        }
    }

    // MARK: Receipts

    private func postReceipts(_ posted: Posted, _ relay: ServiceBenchRelay) async throws {
        let numbers = (posted.first..<posted.next).filter {
            $0 % 100 < load.receiptPercent && posted.tally.isAccepted($0)
        }
        let posting = try await relay.driver.begin(load, posted.tally)
        let counted = try goodReceiptCount(relay)
        let before = try relay.reading()
        let start = MonotonicTime.now()
        let taken = try await posting.postReceipts(numbers)
        let nanoseconds = Int((MonotonicTime.now() - start) / .nanoseconds(1))
        let after = try relay.reading()
        await posting.close()
        try text.printReceipts(
            posted: numbers.count,
            taken: taken,
            good: try goodReceiptCount(relay) - counted,
            nanoseconds: nanoseconds,
            cpuNanoseconds: after.process.cpuNanoseconds - before.process.cpuNanoseconds
        )
    }

    /// What the relay counts: a receipt that was taken may have been good for nothing.
    private func goodReceiptCount(_ relay: ServiceBenchRelay) throws -> Int {
        let name = "sealedpush_receipts_total "
        let text = String(decoding: try relay.process.call(.get, "/v1/metrics").bytes, as: UTF8.self)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let count = Int(line.dropFirst(name.count))
        else { throw CommandFailure.failed("the relay's metrics have no receipts") }
        return count
    }
}

/// What one load came to, and what it cost.
struct ServiceFigures {
    let report: ServiceLoadReport
    let before: ServiceReading
    /// When the last answer had come.
    let posted: ServiceReading
    /// When the last push was at APNs.
    let after: ServiceReading
    let postNanoseconds: Int
    /// While it was posted, the first and the last among them.
    let samples: [ProcessReading]

    /// What the relay has read from the disk for each notification that it accepted.
    var diskReadByteCount: Int {
        (after.process.diskReadByteCount - before.process.diskReadByteCount) / max(1, report.acceptedCount)
    }

    /// The relay's, for each notification that it accepted.
    var cpuNanoseconds: Int {
        (after.process.cpuNanoseconds - before.process.cpuNanoseconds) / max(1, report.acceptedCount)
    }
}
