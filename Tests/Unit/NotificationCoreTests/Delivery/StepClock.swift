import Platform

final class StepClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let end: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var nextID = 0
    }

    private let state = Guarded(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { add($0, id, until: deadline) }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances to the first sleeper's time.
    ///
    /// - Returns: false without a sleeper.
    @discardableResult
    func wakeNext() -> Bool {
        let next = state.withLock { state -> Sleeper? in
            guard let first = state.sleepers.min(by: { ($0.value.end, $0.key) < ($1.value.end, $1.key) }) else {
                return nil
            }
            state.now = max(state.now, first.value.end)
            return state.sleepers.removeValue(forKey: first.key)
        }
        next?.continuation.resume()
        return next != nil
    }

    private func add(_ continuation: CheckedContinuation<Void, any Error>, _ id: Int, until end: Instant) {
        let result: Result<Void, any Error>? = state.withLock { state in
            // Checked under the lock: a cancellation that came too early to find this sleeper has set it.
            if Task.isCancelled { return .failure(CancellationError()) }
            if end <= state.now { return .success(()) }
            state.sleepers[id] = Sleeper(end: end, continuation: continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
    }
}
