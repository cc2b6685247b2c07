import Envelope
package import PushStore
import Transport

/// Checks the store every second, so that health probes need not wait and faults show without any posts.
///
/// A check passes through both threads of the store, then writes: seldom and little while posts are stored anyway, more
/// and more often while they would fail.
package final class StorePulse: Sendable {
    private final class State {
        var timer: LoopTimer?
        var isStopped = true
        /// Start of the check that has no answer yet.
        var askedAt: Int64?
        /// Result of the check before.
        var isAnswering = true
        /// Start of the last write.
        var probedAt = Int64.min
        /// Its error.
        var failure: StoreError?
    }

    private static let second: Int64 = 1_000_000_000
    private static let period = Duration.seconds(1)
    /// Silence after which a thread, or its disk, counts as hung.
    static let patience = 6 * second
    /// Time between two writes, by the result of the last.
    private static let probeIntervals = (good: 5 * second, bad: 2 * second)
    private static let probeByteCounts = (good: 512, bad: 32_768)

    private let context: ServiceContext
    private let store: SQLiteStore
    private let state: LoopBound<State>

    package init(_ context: ServiceContext, _ store: SQLiteStore) {
        self.context = context
        self.store = store
        state = LoopBound(State(), to: context.loop)
    }

    // MARK: On the loop

    package func start() {
        let state = state.value
        guard state.isStopped else { return }
        state.isStopped = false
        tick()
    }

    /// A check that has begun ends by itself.
    package func stop() {
        let state = state.value
        state.isStopped = true
        state.timer?.cancel()
        state.timer = nil
    }

    /// Health, as far as it is known now.
    var vitals: StoreVitals {
        let state = state.value
        let silence = state.askedAt.map { context.clock.uptime() - $0 } ?? 0
        return StoreVitals(
            health: store.health,
            needsOpening: store.needsOpening,
            isAnswering: state.isAnswering && silence < Self.patience,
            failure: state.failure
        )
    }

    private func tick() {
        let state = state.value
        guard !state.isStopped else { return }
        state.timer = context.loop.schedule(after: Self.period) { [weak self] in self?.tick() }
        if state.askedAt == nil { ask() }
    }

    /// Checks the store, one check at a time.
    func ask() {
        state.value.askedAt = context.clock.uptime()
        // On the loop, whose state it touches; it ends with the store's answer.
        Task(executorPreference: context.loop) { [self] in
            let isAnswering = await store.isAnswering()
            state.value.isAnswering = isAnswering
            if isAnswering { await probe() }
            state.value.askedAt = nil
        }
    }

    private func probe() async {
        let state = state.value
        let isGood = state.failure == nil && store.health == .writable
        let interval = isGood ? Self.probeIntervals.good : Self.probeIntervals.bad
        let now = context.clock.uptime()
        guard state.probedAt == .min || now - state.probedAt >= interval else { return }
        state.probedAt = now
        do throws(StoreError) {
            try await store.probe(byteCount: isGood ? Self.probeByteCounts.good : Self.probeByteCounts.bad)
            state.failure = nil
        } catch {
            // Overload is not a fault of the disk, and shows in the posts themselves.
            state.failure = error == .overloaded ? nil : error
        }
    }
}

/// The store's health, as requests need it.
package struct StoreVitals: Sendable {
    /// Result of the last writes.
    package var health: StoreHealth
    /// True if only a restart helps.
    package var needsOpening = false
    /// True while the store's threads respond.
    package var isAnswering = true
    /// Error of the last test write.
    package var failure: StoreError?
}
