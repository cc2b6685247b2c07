import Bench
import CommandLineTool
import Transport

/// What a relay did in one turn of several, and what was left when it was quiet again.
struct ServiceTurn {
    /// Of all that was posted: before the turn was timed, then, and behind it.
    let report: ServiceLoadReport
    let began: ServiceMark
    let ended: ServiceMark
    /// What the next one goes on from.
    let next: Int
    let tally: ServiceTally

    var postedPerSecond: Int { ended.progress.postedPerSecond(since: began.progress) }
    var acceptedPerSecond: Int { ended.progress.acceptedPerSecond(since: began.progress) }
    var deliveredPerSecond: Int { ended.progress.deliveredPerSecond(since: began.progress) }

    /// The relay's, for each notification that it accepted.
    var cpuNanoseconds: Int {
        (ended.reading.process.cpuNanoseconds - began.reading.process.cpuNanoseconds)
            / max(1, ended.progress.acceptedCount - began.progress.acceptedCount)
    }
}

/// How far a load was, and how everybody stood.
struct ServiceMark: Sendable {
    let progress: ServiceProgress
    let reading: ServiceReading

    /// - Returns: nil where the relay's process is gone.
    init?(_ tally: ServiceTally, _ relay: ServiceReaders) {
        guard let reading = try? relay.reading() else { return nil }
        self.reading = reading
        progress = tally.progress
    }
}

extension ServiceBenchRelay {
    /// The relay has connections by then, and queues as long as they become: it answers within 50 ms.
    private static let settlingTime = Duration.milliseconds(500)
    private static let timedTime = Duration.seconds(1)

    /// Without what is waited for until the relay is quiet.
    static let turnTime = settlingTime + timedTime

    /// One turn. In the end all of it is answered, and what was accepted is at APNs: the next one finds a relay with nothing
    /// to do.
    ///
    /// - Parameters:
    ///   - load: what is posted, whatever its length.
    ///   - next: the number of its first notification.
    ///   - earlier: of the load before it.
    /// - Returns: what it came to.
    /// - Throws: why it had no end.
    func turn(_ load: ServiceLoad, from next: Int, after earlier: ServiceTally) async throws -> ServiceTurn {
        var load = load
        load.length = .open
        let tally = ServiceTally(load, first: next, after: earlier)
        let posting = try await driver.begin(load, tally)
        let start = MonotonicTime.now()
        let marks = try await marked(tally) { try await posting.post() }
        try await posting.waitUntilDelivered()
        await posting.close()
        guard let marks else { throw ServiceBenchError.relayEnded }
        return ServiceTurn(
            report: tally.report(since: start),
            began: marks.0,
            ended: marks.1,
            next: tally.nextNumber,
            tally: tally
        )
    }

    /// Looks at both ends of the timed part while `body` posts, and ends the load then.
    ///
    /// - Returns: nil where the process is gone.
    private func marked(
        _ tally: ServiceTally,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> (ServiceMark, ServiceMark)? {
        let relay = readers
        return try await withThrowingTaskGroup(of: (ServiceMark, ServiceMark)?.self) { group in
            group.addTask {
                try await body()
                return nil
            }
            group.addTask {
                defer { tally.limit(to: 0) }
                // A cancelled sleep ends it; a process that is gone is the other task's to tell.
                guard (try? await Task.sleep(for: Self.settlingTime)) != nil, let began = ServiceMark(tally, relay),
                    (try? await Task.sleep(for: Self.timedTime)) != nil, let ended = ServiceMark(tally, relay)
                else { return nil }
                return (began, ended)
            }
            var marks: (ServiceMark, ServiceMark)?
            for try await result in group { marks = result ?? marks }
            return marks
        }
    }
}
