import Platform
package import Transport

/// What driver and simulator of one load have seen, by the numbers of its notifications; and which number comes next.
package final class ServiceTally: Sendable {
    /// Of one notification.
    private struct Row {
        /// When it was answered with 202, and when APNs had it: monotonic nanoseconds, 0 for not yet.
        var acceptedAt: Int64 = 0
        var deliveredAt: Int64 = 0
    }

    private struct State {
        /// Of the numbers that were given out.
        var rows: [Row] = []
        var report = ServiceLoadReport()
        var accepts = LatencyHistogram()
        var deliveries = LatencyHistogram()
        var lastAccept: Int64 = 0
        var lastDelivery: Int64 = 0
        /// Notifications that there will be; nil: as many as there is time for.
        var countMax: Int?
        var isPosted = false
        var isInterrupted = false
        /// Of the accepted ones, those that APNs has.
        var settledCount = 0
        /// Pushes at APNs, each time.
        var arrivalCount = 0
        /// What APNs was told each is called, where that is kept.
        var names: [Int: [UInt8]] = [:]
        var renamedCount = 0
        /// Those that reached APNs again, and how often.
        var repeats: [Int: Int] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []

        var openCount: Int { report.acceptedCount - settledCount }
    }

    private let first: Int
    /// Of the load before, whose pushes may still come again.
    private let earlier: ServiceTally?
    private let load: ServiceLoad
    private let keepsNames: Bool
    private let end: MonotonicTime
    private let state = Guarded(State())
    private let (doneStream, doneContinuation) = AsyncStream.makeStream(of: Void.self)

    /// Begins now.
    ///
    /// - Parameters:
    ///   - load: what is posted.
    ///   - first: the number of the first notification; no two loads may share numbers.
    ///   - earlier: of the load before this one, which goes on to be told of its numbers.
    ///   - keepsNames: whether pushes that come again are compared by their apns-id.
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

    /// From now on, so many are given out in all, with those that were: with 0 no more.
    package func limit(to countMax: Int) { state.withLock { $0.countMax = countMax } }

    /// Behind the last number that was given out.
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

    /// Whether `next` would give nothing out, now and from now on.
    var isGivenOut: Bool {
        let isLate = MonotonicTime.now() >= end
        return state.withLock { state in
            if state.isPosted || state.isInterrupted || isLate { return true }
            return state.countMax.map { state.rows.count >= $0 } ?? false
        }
    }

    /// POSTs that were due and could not be sent. No number is theirs.
    func noteUnsent(_ count: Int) { state.withLock { $0.report.unsentCount += count } }

    /// Waits until the backlog leaves room, where it has a bound.
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

    /// Nothing more will be posted.
    package func didPost() {
        state.withLock { $0.isPosted = true }
        finishIfDone()
    }

    /// Gives nothing out until `resume`; who waits for room goes on.
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
            guard status == 202 else { return }
            state.accepts.add(nanoseconds: UInt64(max(0, now - start.nanoseconds)))
            state.report.acceptedCount += numbers.count
            state.lastAccept = now
            for number in numbers {
                state.rows[number - first].acceptedAt = now
                // APNs may have had it before its sender had the answer.
                guard state.rows[number - first].deliveredAt > 0 else { continue }
                state.settledCount += 1
                state.deliveries.add(nanoseconds: 0)
            }
        }
        finishIfDone()
    }

    // MARK: Arrivals

    /// On the simulator's loop.
    ///
    /// - Parameters:
    ///   - number: of the notification.
    ///   - name: its apns-id.
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
            // Not each at once: who waits is woken when a tenth is free.
            guard !state.waiters.isEmpty, state.openCount < backlogMax - backlogMax / 10 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        finishIfDone()
    }

    // MARK: How far it is

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
    /// POSTs so far, by the status of their answers.
    package var statusCounts: [Int: Int] { state.withLock { $0.report.statusCounts } }
    /// Pushes that came again under another apns-id.
    package var renamedCount: Int { state.withLock { $0.renamedCount } }

    /// Whether nothing more is posted, and everything that was accepted has reached APNs.
    package var isDone: Bool { state.withLock { $0.isPosted && $0.openCount == 0 } }

    private func finishIfDone() {
        if isDone { doneContinuation.finish() }
    }

    /// Until everything that was accepted has reached APNs, or the task is cancelled.
    func waitUntilDone() async { for await _ in doneStream {} }

    /// Whether the notification's sender has had its 202.
    package func isAccepted(_ number: Int) -> Bool {
        state.withLock { $0.rows.indices.contains(number - first) && $0.rows[number - first].acceptedAt > 0 }
    }

    /// What reached APNs again, of this load and of those before it: by its number how often.
    package var repeats: [Int: Int] {
        let own = state.withLock { $0.repeats }
        return earlier.map { own.merging($0.repeats) { one, _ in one } } ?? own
    }

    /// Whether APNs has it.
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
