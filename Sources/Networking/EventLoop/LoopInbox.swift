import Glibc

/// Queued work and life cycle of a loop. A value: the loop guards it with a lock.
struct LoopInbox {
    enum Work {
        case task(UnownedJob)
        case actor(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    enum Duty {
        case nothing
        /// Waiting in epoll.
        case wake
        /// The thread has ended: the caller's must run the work.
        case drain
    }

    private enum Phase {
        case running, stopping, stopped
    }

    var thread: pthread_t?
    private var work: [Work] = []
    private var phase = Phase.running
    /// True while the thread waits in epoll, and a wake-up is worth its system call.
    private var isAsleep = false
    /// After the end: a thread is already running the queue.
    private var isDraining = false

    var isStopping: Bool { phase != .running }

    mutating func add(_ item: Work) -> Duty {
        work.append(item)
        if phase == .stopped {
            guard !isDraining else { return .nothing }
            isDraining = true
            return .drain
        }
        guard isAsleep else { return .nothing }
        isAsleep = false
        return .wake
    }

    /// Swaps with the empty `batch`, to reuse its memory.
    mutating func takeWork(into batch: inout [Work]) {
        swap(&work, &batch)
    }

    /// True if the thread may wait; new work will wake it.
    mutating func fallAsleep() -> Bool {
        isAsleep = work.isEmpty && phase == .running
        return isAsleep
    }

    mutating func wakeUp() {
        isAsleep = false
    }

    /// Thread to wake and join; nil if another caller does so.
    mutating func beginStop() -> pthread_t? {
        guard phase == .running else { return nil }
        phase = .stopping
        isAsleep = false
        return thread
    }

    /// From now on the adding thread runs its work.
    mutating func end() {
        phase = .stopped
        isDraining = false
    }
}
