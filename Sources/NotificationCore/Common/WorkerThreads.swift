private import Platform

/// A few threads for jobs that may wait for a disk.
///
/// Swift's tasks have one thread per core, and a hung disk would hold them all, the deadline's too. Here it holds four;
/// pushes behind them are answered at their deadline. Idle threads stay: starting one outlasts an opening.
package final class WorkerThreads: Sendable {
    typealias Job = @Sendable () -> Void

    /// Threads of a process on a real device: iOS makes an extension object per push, one process for many.
    static let ofProcess = WorkerThreads()

    static let threadCountMax = 4
    /// Opening takes about 60 KiB, sanitizer frames several times more.
    private static let stackByteCount = 1 << 20

    private let queue = JobQueue()

    /// Waits until no push needs work, even after its answer, for measuring single pushes.
    package static func waitUntilProcessIsIdle() { ofProcess.queue.waitUntilIdle() }

    deinit { queue.close() }

    func run(_ job: @escaping Job) {
        if queue.add(job, threadCountMax: Self.threadCountMax) { startThread() }
    }

    /// Runs `body` on this worker, which may block and does not count meanwhile.
    func lend(_ body: () -> Void) {
        if queue.lend(threadCountMax: Self.threadCountMax) { startThread() }
        body()
        queue.takeBack()
    }

    /// Runs the job on a new thread, or here if there is none.
    static func runAlone(_ job: @escaping Job) {
        guard !DetachedThread.start(stackByteCount: stackByteCount, job) else { return }
        job()
    }

    private func startThread() {
        // Captures only the queue: this object's end ends the threads.
        guard !DetachedThread.start(stackByteCount: Self.stackByteCount, { [queue] in queue.work() }) else { return }
        // Without a thread, use a task's, which does not stay.
        Task { [queue] in queue.workWithoutStaying() }
    }
}

private final class JobQueue: Sendable {
    private struct State {
        /// Without lent threads.
        var threadCount = 0
        var idleCount = 0
        var isClosed = false
        var waiting: [WorkerThreads.Job] = []
    }

    /// Only idle threads wait for it: one for each job.
    private let state = Monitored(State())
    private let unfinishedCount = Monitored(0)

    /// - Returns: true to start a thread.
    func add(_ job: @escaping WorkerThreads.Job, threadCountMax: Int) -> Bool {
        unfinishedCount.change { $0 += 1 }
        return state.change(waking: .one) { state in
            state.waiting.append(job)
            guard state.idleCount < state.waiting.count, state.threadCount < threadCountMax else { return false }
            state.threadCount += 1
            return true
        }
    }

    /// - Returns: true to start a thread.
    func lend(threadCountMax: Int) -> Bool {
        state.change(waking: .none) { state in
            state.threadCount -= 1
            guard state.idleCount < state.waiting.count, state.threadCount < threadCountMax else { return false }
            state.threadCount += 1
            return true
        }
    }

    func takeBack() {
        state.change(waking: .none) { $0.threadCount += 1 }
    }

    func close() { state.change { $0.isClosed = true } }

    func work() {
        while let job = next() { run(job) }
    }

    func waitUntilIdle() { unfinishedCount.wait { $0 == 0 ? () : nil } }

    func workWithoutStaying() {
        while let job = state.change(waking: .none, { state in Self.take(&state) }) { run(job) }
        state.change(waking: .none) { $0.threadCount -= 1 }
    }

    private func run(_ job: WorkerThreads.Job) {
        job()
        unfinishedCount.change { $0 -= 1 }
    }

    private func next() -> WorkerThreads.Job? {
        // A lent thread may have been replaced.
        let isOneTooMany = state.change(waking: .none) { state in
            guard state.threadCount > WorkerThreads.threadCountMax else {
                state.idleCount += 1
                return false
            }
            state.threadCount -= 1
            return true
        }
        guard !isOneTooMany else { return nil }
        return state.wait { state in
            guard state.waiting.isEmpty else {
                state.idleCount -= 1
                return .some(Self.take(&state))
            }
            guard state.isClosed else { return nil }
            state.idleCount -= 1
            state.threadCount -= 1
            return .some(nil)
        }
    }

    private static func take(_ state: inout State) -> WorkerThreads.Job? {
        state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
}
