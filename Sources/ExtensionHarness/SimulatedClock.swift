/// A clock that stands still until it is told to go on, so that 30 seconds pass at once.
///
///     async let shown = runner.deliver(payload)
///     await clock.waitForSleepers()
///     clock.advance(by: .seconds(30))
public final class SimulatedClock: Clock, Sendable {
    /// A point in the clock's own time.
    public struct Instant: InstantProtocol {
        /// Since the clock was made.
        public var offset: Duration

        /// The point that much later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The time from this point to another.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Whether the first is earlier.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var lastID = 0
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watchers: [(sleeperCount: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Guarded(State())

    /// Creates a clock at zero.
    public init() {}

    /// How far the clock has been advanced.
    public var now: Instant { state.withLock { $0.now } }

    /// As fine as `Duration` is used here.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Returns when the clock has been advanced to the deadline.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { add($0, id: id, deadline: deadline) }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Makes time pass: everyone whose deadline comes by then wakes, the earliest first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers.removeValue(forKey: id) }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for sleeper in due { sleeper.value.continuation.resume() }
    }

    /// Returns when at least `count` sleepers are waiting for time to pass: advancing earlier would be too early.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    private func add(_ continuation: CheckedContinuation<Void, any Error>, id: Int, deadline: Instant) {
        let reached = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            // Asked under the lock: a cancellation handler that came too early to find this sleeper has set it.
            if Task.isCancelled {
                continuation.resume(throwing: CancellationError())
                return []
            }
            guard state.now < deadline else {
                continuation.resume()
                return []
            }
            state.sleepers[id] = (deadline, continuation)
            let sleeperCount = state.sleepers.count
            defer { state.watchers.removeAll { $0.sleeperCount <= sleeperCount } }
            return state.watchers.filter { $0.sleeperCount <= sleeperCount }.map(\.continuation)
        }
        for watcher in reached { watcher.resume() }
    }
}
