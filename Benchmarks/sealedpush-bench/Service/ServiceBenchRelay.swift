import Bench
import ChildProcesses
import CommandLineTool
import Envelope
import Networking

struct ServiceBenchRelay {
    let process: RelayProcess
    let log: OutputDrain
    let driver: ServiceDriver
    /// Processors of the relay, and of driver and simulator.
    let processor: Int?
    let driverProcessor: Int?
    let usesDatabase: Bool

    /// Notifications of a warm-up; a shorter load takes fewer.
    private static let warmUpCount = 2_000
    private static let sampleCount = 20

    var readers: ServiceReaders {
        ServiceReaders(
            processID: process.processID,
            processor: processor,
            driverProcessor: driverProcessor,
            usesDatabase: usesDatabase
        )
    }

    func reading() throws -> ServiceReading { try readers.reading() }

    // MARK: One load

    /// Posts a first load: one-time connections, statements and memory must not count for a notification.
    func warmUp(_ load: ServiceLoad) async throws -> ServicePosted {
        var count = Self.warmUpCount
        if case .posts(let posts) = load.length { count = min(count, posts * load.recipientCount) }
        var warmUp = load
        warmUp.length = .posts(max(1, count / load.recipientCount))
        warmUp.rate = nil
        return try await post(warmUp, after: nil)
    }

    /// Posts one load.
    ///
    /// - Parameter earlier: The previous load, whose numbers it continues.
    func post(_ load: ServiceLoad, after earlier: ServicePosted?) async throws -> ServicePosted {
        let first = earlier?.next ?? 0
        let tally = ServiceTally(load, first: first, after: earlier?.tally)
        let posting = try await driver.begin(load, tally)
        let before = try reading()
        let start = MonotonicTime.now()
        let samples = try await sampled(process.processID, load) { try await posting.post() }
        let posted = try reading()
        let postNanoseconds = Int((MonotonicTime.now() - start) / .nanoseconds(1))
        try await posting.waitUntilDelivered()
        let after = try reading()
        await posting.close()
        let figures = ServiceFigures(
            report: tally.report(since: start),
            before: before,
            posted: posted,
            after: after,
            postNanoseconds: postNanoseconds,
            samples: [before.process] + samples + [posted.process]
        )
        return ServicePosted(figures: figures, first: first, next: tally.nextNumber, tally: tally)
    }

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
                // A cancelled sleep ends it; the other task reports a dead process.
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

    func failure(_ error: any Error) -> CommandError {
        switch error {
        case let failure as CommandError: failure
        case ServiceBenchError.relayEnded:
            .failed("the relay ended in the middle of it; the last lines of its log:\n\(log.lastLines)")
        case ServiceBenchError.silence(let seconds, let accepted, let delivered):
            .failed(
                "nothing has happened for \(seconds) seconds: \(accepted) accepted, \(delivered) at APNs; "
                    + "the last lines of the relay's log:\n\(log.lastLines)"
            )
        case ServiceBenchError.stopped, is CancellationError: .failed("stopped")
        default: .failed("the relay could not be driven: \(error)")
        }
    }
}

struct ServicePosted {
    let figures: ServiceFigures
    /// Number of the first notification, and the one after the last.
    let first: Int
    let next: Int
    let tally: ServiceTally
}

struct ServiceReaders: Sendable {
    let processID: Int32
    let processor: Int?
    let driverProcessor: Int?
    let usesDatabase: Bool

    func reading() throws -> ServiceReading {
        ServiceReading(
            process: try ProcessReading(of: processID),
            processor: try processor.map { try ProcessorReading($0) },
            driver: try .own(),
            driverProcessor: try driverProcessor.map { try ProcessorReading($0) },
            databaseNanoseconds: usesDatabase ? DatabaseProcesses.cpuNanoseconds() : 0
        )
    }
}

struct ServiceReading: Sendable {
    let process: ProcessReading
    /// Nil if the relay is bound to none.
    let processor: ProcessorReading?
    let driver: ProcessReading
    let driverProcessor: ProcessorReading?
    /// Time of PostgreSQL's processes.
    let databaseNanoseconds: Int

    func share(since earlier: ServiceReading) -> ProcessorShare? {
        guard let processor, let before = earlier.processor else { return nil }
        return processor.share(
            since: before,
            ownNanoseconds: process.cpuNanoseconds - earlier.process.cpuNanoseconds
        )
    }

    func driverShare(since earlier: ServiceReading) -> ProcessorShare? {
        guard let driverProcessor, let before = earlier.driverProcessor else { return nil }
        return driverProcessor.share(
            since: before,
            ownNanoseconds: driver.cpuNanoseconds - earlier.driver.cpuNanoseconds
        )
    }
}

struct ServiceFigures {
    let report: ServiceLoadReport
    let before: ServiceReading
    /// After the last answer.
    let posted: ServiceReading
    /// After the last push at APNs.
    let after: ServiceReading
    let postNanoseconds: Int
    /// Readings during posting, first and last included.
    let samples: [ProcessReading]

    /// Bytes that the relay read from the disk for each accepted notification.
    var diskReadByteCount: Int {
        (after.process.diskReadByteCount - before.process.diskReadByteCount) / max(1, report.acceptedCount)
    }

    /// The relay's processor time for each accepted notification.
    var cpuNanoseconds: Int {
        (after.process.cpuNanoseconds - before.process.cpuNanoseconds) / max(1, report.acceptedCount)
    }

    /// The database's, likewise.
    var databaseNanoseconds: Int {
        (after.databaseNanoseconds - before.databaseNanoseconds) / max(1, report.acceptedCount)
    }
}
