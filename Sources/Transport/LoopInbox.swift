import Glibc

/// What other threads leave for a loop, and how far the loop's life has come. A value: the loop keeps it behind a lock.
struct LoopInbox {
    enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    /// What is left to do for whoever added work.
    enum Duty {
        case nothing
        /// The thread waits in epoll.
        case wake
        /// There is no thread any more: the caller's own has to run it.
        case drain
    }

    private enum Phase {
        case running, stopping, stopped
    }

    /// Nil until it has been started.
    var thread: pthread_t?
    private var work: [Work] = []
    private var phase = Phase.running
    /// True while the thread waits in epoll: only then is a wake-up worth its system call.
    private var isAsleep = false
    /// After the end: someone is already running what is queued.
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

    /// Moves what is queued to `batch`, which is empty, and whose memory serves what comes next.
    mutating func takeWork(into batch: inout [Work]) {
        swap(&work, &batch)
    }

    /// Whether the thread may wait: nothing is queued. Who adds something from now on will wake it.
    mutating func fallAsleep() -> Bool {
        isAsleep = work.isEmpty && phase == .running
        return isAsleep
    }

    mutating func wakeUp() {
        isAsleep = false
    }

    /// The thread to wake and to wait for; nil when someone else does so.
    mutating func beginStop() -> pthread_t? {
        guard phase == .running else { return nil }
        phase = .stopping
        isAsleep = false
        return thread
    }

    /// From now on whoever adds work runs it.
    mutating func end() {
        phase = .stopped
        isDraining = false
    }
}
