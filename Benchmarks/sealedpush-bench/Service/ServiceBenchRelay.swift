import Bench
import ChildProcesses
import CommandLineTool
import Envelope
import Transport

/// A relay that runs.
struct ServiceBenchRelay {
    let process: RelayProcess
    let log: OutputDrain
    let driver: ServiceDriver
    /// That it is held to, and where driver and simulator are.
    let processor: Int?
    let driverProcessor: Int?

    /// In notifications. What is shorter takes less.
    private static let warmUpCount = 2_000
    private static let sampleCount = 20

    /// What can be read of it from any task.
    var readers: ServiceReaders {
        ServiceReaders(processID: process.processID, processor: processor, driverProcessor: driverProcessor)
    }

    func reading() throws -> ServiceReading { try readers.reading() }

    // MARK: One load

    /// Connections, statements and memory that are made once are no notification's.
    ///
    /// - Parameter load: that will be posted.
    /// - Returns: what the load goes on from.
    /// - Throws: why it had no end.
    func warmUp(_ load: ServiceLoad) async throws -> ServicePosted {
        var count = Self.warmUpCount
        if case .posts(let posts) = load.length { count = min(count, posts * load.recipientCount) }
        var warmUp = load
        warmUp.length = .posts(max(1, count / load.recipientCount))
        warmUp.rate = nil
        return try await post(warmUp, after: nil)
    }

    /// One load.
    ///
    /// - Parameters:
    ///   - load: what is posted.
    ///   - earlier: the load before it, whose numbers it goes on from.
    /// - Returns: what it came to.
    /// - Throws: why it had no end.
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

    /// Why it could not be driven, in words.
    func failure(_ error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: failure
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

/// A load that has been posted.
struct ServicePosted {
    let figures: ServiceFigures
    /// The number of the first notification, and behind the last.
    let first: Int
    let next: Int
    let tally: ServiceTally
}

/// Whom to ask how a relay stands.
struct ServiceReaders: Sendable {
    let processID: Int32
    let processor: Int?
    let driverProcessor: Int?

    func reading() throws -> ServiceReading {
        ServiceReading(
            process: try ProcessReading(of: processID),
            processor: try processor.map { try ProcessorReading($0) },
            driver: try .own(),
            driverProcessor: try driverProcessor.map { try ProcessorReading($0) }
        )
    }
}

/// How a relay and its processor stand, and who drives it.
struct ServiceReading: Sendable {
    let process: ProcessReading
    /// nil where it is held to none.
    let processor: ProcessorReading?
    /// With the simulator.
    let driver: ProcessReading
    let driverProcessor: ProcessorReading?

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
