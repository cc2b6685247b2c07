import Envelope
package import PushStore
import Transport

/// Finds out again and again whether the store does what it is asked, so that probes are answered without a wait, and the
/// truth is known where nobody posts.
///
/// A question goes through both threads of the store. It is followed by a write in which the store's health shows: now and then
/// while posts are stored anyway, and larger and more often while none would be.
package final class StorePulse: Sendable {
    private final class State {
        var timer: LoopTimer?
        var isStopped = true
        /// When the question was asked that has no answer yet.
        var askedAt: Int64?
        /// Of the question before.
        var isAnswering = true
        /// When the last write began.
        var probedAt = Int64.min
        /// What it ended with.
        var failure: StoreError?
    }

    private static let second: Int64 = 1_000_000_000
    private static let period = Duration.seconds(1)
    /// A thread that has not answered for so long hangs, or its disk does.
    static let patience = 6 * second
    /// Between two writes, while posts would be stored and while they would not.
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

    /// A question that has begun ends by itself.
    package func stop() {
        let state = state.value
        state.isStopped = true
        state.timer?.cancel()
        state.timer = nil
    }

    /// As far as it is known now.
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

    /// One question at a time.
    func ask() {
        state.value.askedAt = context.clock.uptime()
        // It touches what lives on the loop, and runs there; it ends with the store's answer.
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
            // Too much waits already: what is posted says enough.
            state.failure = error == .overloaded ? nil : error
        }
    }
}

/// What is known of a store that requests need.
package struct StoreVitals: Sendable {
    /// As the last writes found it.
    package var health: StoreHealth
    /// Whether a restart helps, and nothing else.
    package var needsOpening = false
    /// Whether its threads answer.
    package var isAnswering = true
    /// What a write meets that was made to find out.
    package var failure: StoreError?
}
