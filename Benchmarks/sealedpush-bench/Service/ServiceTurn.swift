import Bench
import CommandLineTool
import Networking

/// One turn of a relay, with its rest until it is idle again.
struct ServiceTurn {
    /// Report of everything posted: before, during and after the timed part.
    let report: ServiceLoadReport
    let began: ServiceMark
    let ended: ServiceMark
    let next: Int
    let tally: ServiceTally

    var postedPerSecond: Int { ended.progress.postedPerSecond(since: began.progress) }
    var acceptedPerSecond: Int { ended.progress.acceptedPerSecond(since: began.progress) }
    var deliveredPerSecond: Int { ended.progress.deliveredPerSecond(since: began.progress) }

    /// The relay's processor time for each accepted notification.
    var cpuNanoseconds: Int {
        (ended.reading.process.cpuNanoseconds - began.reading.process.cpuNanoseconds)
            / max(1, ended.progress.acceptedCount - began.progress.acceptedCount)
    }
}

struct ServiceMark: Sendable {
    let progress: ServiceProgress
    let reading: ServiceReading

    init?(_ tally: ServiceTally, _ relay: ServiceReaders) {
        guard let reading = try? relay.reading() else { return nil }
        self.reading = reading
        progress = tally.progress
    }
}

extension ServiceBenchRelay {
    /// Enough for connections and for full queues: the relay answers within 50 ms.
    private static let settlingTime = Duration.milliseconds(500)
    private static let timedTime = Duration.seconds(1)

    /// Time of a turn without the wait until the relay is idle.
    static let turnTime = settlingTime + timedTime

    /// Runs one turn, until everything is answered and all accepted notifications are at APNs: the next turn finds an
    /// idle relay.
    ///
    /// - Parameters:
    ///   - load: Posted whatever its length.
    ///   - next: Number of its first notification.
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

    /// Marks both ends of the timed part while `body` posts, then ends the load.
    ///
    /// - Returns: Nil if the process is gone.
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
                // A cancelled sleep ends it; the other task reports a dead process.
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
