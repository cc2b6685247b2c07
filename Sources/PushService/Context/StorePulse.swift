import Envelope
import Networking
package import PushStore
import ServiceParts

/// Checks the store every second: probes need not wait, and faults show without posts.
///
/// A check passes through both threads of the store, then writes: seldom while that succeeds, else more often.
package final class StorePulse: Sendable {
    private final class State {
        var timer: LoopTimer?
        var isStopped = true
        var askedAt: Int64?
        var isAnswering = true
        var probedAt = Int64.min
        var failure: StoreError?
    }

    private static let second: Int64 = 1_000_000_000
    private static let period = Duration.seconds(1)
    /// A longer silence means a hung thread or disk.
    static let patience = 6 * second
    private static let probeIntervals = (good: 5 * second, bad: 2 * second)
    private static let probeByteCounts = (good: 512, bad: 32_768)

    private let context: ServiceContext
    private let store: any RelayStore
    private let state: LoopBound<State>

    package init(_ context: ServiceContext, _ store: any RelayStore) {
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

    package func stop() {
        let state = state.value
        state.isStopped = true
        state.timer?.cancel()
        state.timer = nil
    }

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
        store.endOverdue()
        if state.askedAt == nil { ask() }
    }

    func ask() {
        state.value.askedAt = context.clock.uptime()
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
            // Overload is no fault of the disk.
            state.failure = error == .overloaded || error == .timedOut ? nil : error
        }
    }
}

package struct StoreVitals: Sendable {
    package var health: StoreHealth
    /// True if only a restart helps.
    package var needsOpening = false
    package var isAnswering = true
    /// Error of the last test write.
    package var failure: StoreError?
}
