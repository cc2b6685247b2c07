import Bench
import ChildProcesses
import CommandLineTool
import Envelope
import HTTPSClient
import Networking
import PushStore

/// A relay under a timed load, after a warm-up.
struct ServiceTimedRun {
    private let stage: ServiceBenchStage
    private let load: ServiceLoad
    private let text: ServiceBenchText

    init(_ stage: ServiceBenchStage, _ text: ServiceBenchText) {
        self.stage = stage
        load = stage.load
        self.text = text
    }

    func run() async throws { try await stage.withRelay(text, measure) }

    private func measure(_ relay: ServiceBenchRelay) async throws -> ServiceTally {
        let steady = try await relay.post(load, after: try await relay.warmUp(load))
        try text.print("steady", steady.figures)
        if case .time = load.length { try text.printFlatness(steady.figures.samples) }
        if load.receiptPercent > 0 { try await postReceipts(steady, relay) }
        return steady.tally
    }

    // MARK: Receipts

    private func postReceipts(_ posted: ServicePosted, _ relay: ServiceBenchRelay) async throws {
        let numbers = (posted.first..<posted.next).filter {
            $0 % 100 < load.receiptPercent && posted.tally.isAccepted($0)
        }
        var inTurn = load
        inTurn.rate = nil
        let posting = try await relay.driver.begin(inTurn, posted.tally)
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

    /// The relay's own count: an accepted receipt may have had no effect.
    private func goodReceiptCount(_ relay: ServiceBenchRelay) throws -> Int {
        let name = "sealedpush_receipts_total "
        let text = String(decoding: try relay.process.call(.get, "/v1/metrics").bytes, as: UTF8.self)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let count = Int(line.dropFirst(name.count))
        else { throw CommandError.failed("the relay's metrics have no receipts") }
        return count
    }
}
