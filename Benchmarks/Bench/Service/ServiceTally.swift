package import Networking
import Platform

/// Observations of one load by driver and simulator, by notification number; also gives out the numbers.
package final class ServiceTally: Sendable {
    private struct Row {
        /// Times of the 202 and of the arrival at APNs: monotonic nanoseconds, 0 for not yet.
        var acceptedAt: Int64 = 0
        var deliveredAt: Int64 = 0
    }

    private struct State {
        var rows: [Row] = []
        var report = ServiceLoadReport()
        var accepts = LatencyHistogram()
        var deliveries = LatencyHistogram()
        var lastAccept: Int64 = 0
        var lastDelivery: Int64 = 0
        /// Total of notifications; nil if only time limits them.
        var countMax: Int?
        var isPosted = false
        var isInterrupted = false
        var settledCount = 0
        /// All pushes at APNs, repetitions included.
        var arrivalCount = 0
        /// apns-id of each, if kept.
        var names: [Int: [UInt8]] = [:]
        var renamedCount = 0
        /// Repetitions at APNs by number.
        var repeats: [Int: Int] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []

        var openCount: Int { report.acceptedCount - settledCount }
    }

    private let first: Int
    /// Tally of the previous load, whose pushes may still come again.
    private let earlier: ServiceTally?
    private let load: ServiceLoad
    private let keepsNames: Bool
    private let end: MonotonicTime
    private let state = Guarded(State())
    private let (doneStream, doneContinuation) = AsyncStream.makeStream(of: Void.self)

    /// Starts the load's time.
    ///
    /// - Parameters:
    ///   - first: Number of the first notification; no two loads may share numbers.
    ///   - earlier: Tally of the previous load, which still gets its own arrivals.
    ///   - keepsNames: True to compare the apns-ids of repeated pushes.
    package init(
        _ load: ServiceLoad,
        first: Int,
        after earlier: ServiceTally? = nil,
        keepsNames: Bool = false
    ) {
        self.load = load
        self.first = first
        self.earlier = earlier
        self.keepsNames = keepsNames
        switch load.length {
        case .posts(let count):
            end = .now() + .seconds(1 << 40)
            limit(to: count * load.recipientCount)
        case .time(let time): end = .now() + time
        case .open: end = .now() + .seconds(1 << 40)
        }
    }

    /// Limits the total, numbers already given out included; 0 gives out no more.
    package func limit(to countMax: Int) { state.withLock { $0.countMax = countMax } }

    /// The number after the last one given out.
    package var nextNumber: Int { state.withLock { first + $0.rows.count } }

    // MARK: Posting

    /// The notifications of the next POST; nil when all are given out.
    func next() -> Range<Int>? {
        let isLate = MonotonicTime.now() >= end
        return state.withLock { state in
            guard !state.isPosted, !state.isInterrupted, !isLate else { return nil }
            if let countMax = state.countMax, state.rows.count >= countMax { return nil }
            let start = first + state.rows.count
            for _ in 0..<load.recipientCount { state.rows.append(Row()) }
            return start..<start + load.recipientCount
        }
    }

    /// True once `next` gives out nothing more.
    var isGivenOut: Bool {
        let isLate = MonotonicTime.now() >= end
        return state.withLock { state in
            if state.isPosted || state.isInterrupted || isLate { return true }
            return state.countMax.map { state.rows.count >= $0 } ?? false
        }
    }

    /// Counts due POSTs that could not be sent. They have no numbers.
    func noteUnsent(_ count: Int) { state.withLock { $0.report.unsentCount += count } }

    /// Waits for room in a bounded backlog.
    func room() async {
        guard let backlogMax = load.backlogMax else { return }
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.isPosted || state.isInterrupted || state.openCount < backlogMax { return true }
                state.waiters.append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    package func didPost() {
        state.withLock { $0.isPosted = true }
        finishIfDone()
    }

    /// Gives out nothing until `resume`, and wakes the waiters for room.
    func interrupt() {
        let waiters = state.withLock { state in
            state.isInterrupted = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func resume() { state.withLock { $0.isInterrupted = false } }

    func note(_ numbers: Range<Int>, status: Int, from start: MonotonicTime) {
        let now = MonotonicTime.now().nanoseconds
        state.withLock { state in
            state.report.statusCounts[status, default: 0] += 1
            guard status == 202 || status == 201 else { return }
            state.accepts.add(nanoseconds: UInt64(max(0, now - start.nanoseconds)))
            state.report.acceptedCount += numbers.count
            state.lastAccept = now
            for number in numbers {
                state.rows[number - first].acceptedAt = now
                // APNs may have it before its sender has the answer.
                guard state.rows[number - first].deliveredAt > 0 else { continue }
                state.settledCount += 1
                state.deliveries.add(nanoseconds: 0)
            }
        }
        finishIfDone()
    }

    // MARK: Arrivals

    /// Records an arrival, on the simulator's loop.
    ///
    /// - Parameter name: The apns-id.
    func noteDelivered(_ number: Int, name: [UInt8]) {
        if number < first, let earlier { return earlier.noteDelivered(number, name: name) }
        let now = MonotonicTime.now().nanoseconds
        let backlogMax = load.backlogMax ?? 0
        let waiters: [CheckedContinuation<Void, Never>] = state.withLock { state in
            guard state.rows.indices.contains(number - first) else { return [] }
            state.arrivalCount += 1
            if keepsNames {
                if let before = state.names[number], before != name { state.renamedCount += 1 }
                state.names[number] = name
            }
            guard state.rows[number - first].deliveredAt == 0 else {
                state.report.duplicateCount += 1
                state.repeats[number, default: 0] += 1
                return []
            }
            state.rows[number - first].deliveredAt = now
            state.report.deliveredCount += 1
            state.lastDelivery = now
            let accepted = state.rows[number - first].acceptedAt
            guard accepted > 0 else { return [] }
            state.settledCount += 1
            state.deliveries.add(nanoseconds: UInt64(max(0, now - accepted)))
            // Wakes the waiters once a tenth is free, not at every push.
            guard !state.waiters.isEmpty, state.openCount < backlogMax - backlogMax / 10 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        finishIfDone()
    }

    // MARK: Progress

    package var progress: ServiceProgress {
        state.withLock { state in
            ServiceProgress(
                time: .now(),
                postedCount: state.rows.count,
                acceptedCount: state.report.acceptedCount,
                deliveredCount: state.report.deliveredCount
            )
        }
    }

    /// Grows with every answer and every push.
    package var progressCount: Int { state.withLock { $0.report.postCount + $0.arrivalCount } }
    package var acceptedCount: Int { state.withLock { $0.report.acceptedCount } }
    package var arrivalCount: Int { state.withLock { $0.arrivalCount } }
    package var statusCounts: [Int: Int] { state.withLock { $0.report.statusCounts } }
    package var renamedCount: Int { state.withLock { $0.renamedCount } }

    /// True once posting has ended and every accepted notification has reached APNs.
    package var isDone: Bool { state.withLock { $0.isPosted && $0.openCount == 0 } }

    private func finishIfDone() {
        if isDone { doneContinuation.finish() }
    }

    /// Waits until `isDone`, or until the task is cancelled.
    func waitUntilDone() async { for await _ in doneStream {} }

    package func isAccepted(_ number: Int) -> Bool {
        state.withLock { $0.rows.indices.contains(number - first) && $0.rows[number - first].acceptedAt > 0 }
    }

    /// Repetitions at APNs by number, of this load and those before it.
    package var repeats: [Int: Int] {
        let own = state.withLock { $0.repeats }
        return earlier.map { own.merging($0.repeats) { one, _ in one } } ?? own
    }

    package func isDelivered(_ number: Int) -> Bool {
        state.withLock { $0.rows.indices.contains(number - first) && $0.rows[number - first].deliveredAt > 0 }
    }

    package func report(since start: MonotonicTime) -> ServiceLoadReport {
        state.withLock { state in
            var report = state.report
            report.missingCount = state.openCount
            report.acceptNanoseconds = Int(max(0, state.lastAccept - start.nanoseconds))
            report.deliveryNanoseconds = Int(max(0, state.lastDelivery - start.nanoseconds))
            report.acceptLatency = LatencyFigures(state.accepts)
            report.deliveryLatency = LatencyFigures(state.deliveries)
            return report
        }
    }
}
