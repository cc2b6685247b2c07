import Synchronization
package import Transport

/// What driver and simulator of one load have seen, by the numbers of its notifications.
package final class ServiceTally: Sendable {
    private struct State {
        var nextPost = 0
        /// When each was answered with 202, and when APNs had it: monotonic nanoseconds, 0 for not yet.
        var acceptedAt: [Int64]
        var deliveredAt: [Int64]
        var report = ServiceLoadReport()
        var accepts = LatencyHistogram()
        var deliveries = LatencyHistogram()
        var lastAccept: Int64 = 0
        var lastDelivery: Int64 = 0
        var isPosted = false
        /// Of the accepted ones, those that APNs has.
        var settledCount = 0
    }

    private static let silenceMax = Duration.seconds(120)

    private let first: Int
    private let load: ServiceLoad
    private let state: Mutex<State>
    private let (doneStream, doneContinuation) = AsyncStream.makeStream(of: Void.self)

    /// - Parameters:
    ///   - load: what is posted.
    ///   - first: the number of the first notification.
    package init(_ load: ServiceLoad, first: Int) {
        self.load = load
        self.first = first
        let zeros = [Int64](repeating: 0, count: load.notificationCount)
        state = Mutex(State(acceptedAt: zeros, deliveredAt: zeros))
    }

    /// The notifications of the next POST; nil when all are given out.
    func next() -> Range<Int>? {
        state.withLock { state in
            guard state.nextPost < load.notificationCount else { return nil }
            let start = first + state.nextPost
            state.nextPost += load.recipientCount
            return start..<start + load.recipientCount
        }
    }

    func note(_ numbers: Range<Int>, status: Int, from start: MonotonicTime) {
        let now = MonotonicTime.now().nanoseconds
        state.withLock { state in
            state.report.statusCounts[status, default: 0] += 1
            state.accepts.add(nanoseconds: UInt64(max(0, now - start.nanoseconds)))
            guard status == 202 else { return }
            state.report.acceptedCount += numbers.count
            state.lastAccept = now
            for number in numbers {
                state.acceptedAt[number - first] = now
                // APNs may have had it before its sender had the answer.
                let delivered = state.deliveredAt[number - first]
                guard delivered > 0 else { continue }
                state.settledCount += 1
                state.deliveries.add(nanoseconds: 0)
            }
        }
        finishIfDone()
    }

    /// On the simulator's loop.
    func noteDelivered(_ number: Int) {
        let now = MonotonicTime.now().nanoseconds
        state.withLock { state in
            guard number >= first, number - first < load.notificationCount else { return }
            guard state.deliveredAt[number - first] == 0 else {
                state.report.duplicateCount += 1
                return
            }
            state.deliveredAt[number - first] = now
            state.report.deliveredCount += 1
            state.lastDelivery = now
            let accepted = state.acceptedAt[number - first]
            guard accepted > 0 else { return }
            state.settledCount += 1
            state.deliveries.add(nanoseconds: UInt64(now - accepted))
        }
        finishIfDone()
    }

    /// Nothing more will be posted.
    package func didPost() {
        state.withLock { $0.isPosted = true }
        finishIfDone()
    }

    /// Whether everything that was accepted has reached APNs.
    package var isDone: Bool { state.withLock { $0.isPosted && $0.settledCount == $0.report.acceptedCount } }

    private func finishIfDone() {
        if isDone { doneContinuation.finish() }
    }

    /// Waits until everything that was accepted has reached APNs, or nothing more has arrived for two minutes: then the
    /// report says what is missing.
    package func waitUntilDelivered() async {
        await withTaskGroup { group in
            group.addTask { [doneStream] in for await _ in doneStream {} }
            group.addTask { [self] in
                var seen = -1
                while !Task.isCancelled {
                    let count = state.withLock { $0.report.deliveredCount + $0.report.duplicateCount }
                    guard count != seen else { return }
                    seen = count
                    try? await Task.sleep(for: Self.silenceMax)
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Notifications that were accepted and whose numbers are these.
    func isAccepted(_ number: Int) -> Bool { state.withLock { $0.acceptedAt[number - first] > 0 } }

    package func report(since start: MonotonicTime) -> ServiceLoadReport {
        state.withLock { state in
            var report = state.report
            report.lostCount = report.acceptedCount - state.settledCount
            report.acceptNanoseconds = Int(max(0, state.lastAccept - start.nanoseconds))
            report.deliveryNanoseconds = Int(max(0, state.lastDelivery - start.nanoseconds))
            report.acceptLatency = LatencyFigures(state.accepts)
            report.deliveryLatency = LatencyFigures(state.deliveries)
            return report
        }
    }
}
