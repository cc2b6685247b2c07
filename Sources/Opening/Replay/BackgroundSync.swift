private import Platform

/// Forces the file to disk within a second of a write, on its own thread, so that no check waits. The thread ends when
/// idle; if its process is suspended first, the system writes the rest.
final class BackgroundSync: Sendable {
    private let synchronize: @Sendable () throws(ReplayWindowError) -> Void
    private let state = Guarded(State())

    private struct State {
        var isDirty = false
        var isRunning = false
        /// Monotonic, in milliseconds.
        var lastSync: UInt64?
        var failure: ReplayWindowError?
    }

    private static let interval: UInt64 = 1_000
    /// The thread only sleeps and syncs.
    private static let stackByteCount = 256 * 1_024

    init(_ synchronize: @escaping @Sendable () throws(ReplayWindowError) -> Void) { self.synchronize = synchronize }

    func noteWrite() {
        let starts = state.withLock { state in
            state.isDirty = true
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        if starts { startThread() }
    }

    /// Throws a failure of the thread once.
    func checkFailure() throws(ReplayWindowError) {
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
        if let failure { throw failure }
    }

    private func startThread() {
        let run: @Sendable () -> Void = { [self] in self.run() }
        guard !DetachedThread.start(stackByteCount: Self.stackByteCount, quality: .utility, run) else { return }
        // The next write tries again.
        state.withLock { $0.isRunning = false }
    }

    private func run() {
        while true {
            let due = state.withLock { $0.lastSync.map { $0 + Self.interval } ?? 0 }
            let now = Self.milliseconds
            if due > now { usleep(UInt32(due - now) * 1_000) }
            state.withLock { state in
                state.isDirty = false
                state.lastSync = Self.milliseconds
            }
            var failure: ReplayWindowError?
            do throws(ReplayWindowError) {
                try synchronize()
            } catch {
                failure = error
            }
            let isDone = state.withLock { state in
                state.failure = failure ?? state.failure
                if !state.isDirty { state.isRunning = false }
                return !state.isDirty
            }
            if isDone { return }
        }
    }

    private static var milliseconds: UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
