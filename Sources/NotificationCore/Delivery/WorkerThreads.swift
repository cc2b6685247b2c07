private import Platform

/// Runs what may wait for a disk, on a few threads of its own.
///
/// Not on the threads of Swift's tasks: there are as many as cores, and a disk that hangs would hold them all, the one for
/// the deadline too. Here a hung disk holds four threads, and what waits behind them is answered at its deadline.
///
/// A thread that has nothing to do stays for the next push: making one takes longer than opening a message.
package final class WorkerThreads: Sendable {
    typealias Job = @Sendable () -> Void

    /// Of a process whose device is the one it runs on: iOS makes an extension object for each push, and one process for
    /// many.
    static let ofProcess = WorkerThreads()

    static let threadCountMax = 4
    /// Opening takes some 60 KiB; the sanitizers' frames are several times as large.
    private static let stackByteCount = 1 << 20

    private let queue = JobQueue()

    /// Returns when this process has nothing to do for any push, also not what comes after its answer. For whoever measures
    /// one push at a time.
    package static func waitUntilProcessIsIdle() { ofProcess.queue.waitUntilIdle() }

    deinit { queue.close() }

    /// Runs the job soon: at once where a thread is to be had.
    func run(_ job: @escaping Job) {
        if queue.add(job, threadCountMax: Self.threadCountMax) { startThread() }
    }

    /// Runs `body` on this thread, which is one of these and does not count as one meanwhile: it may block.
    func lend(_ body: () -> Void) {
        if queue.lend(threadCountMax: Self.threadCountMax) { startThread() }
        body()
        queue.takeBack()
    }

    /// Runs the job on a thread that is none of these; here where the system has none to give.
    static func runAlone(_ job: @escaping Job) {
        guard !DetachedThread.start(stackByteCount: stackByteCount, job) else { return }
        job()
    }

    private func startThread() {
        // The queue and not this object: its end is what ends the threads.
        guard !DetachedThread.start(stackByteCount: Self.stackByteCount, { [queue] in queue.work() }) else { return }
        // A system without a thread to give still has those of tasks; they do not stay.
        Task { [queue] in queue.workWithoutStaying() }
    }
}

/// What is waiting, and who waits for it.
private final class JobQueue: Sendable {
    private struct State {
        /// Without those that are lent.
        var threadCount = 0
        var idleCount = 0
        var lentCount = 0
        var isClosed = false
        var waiting: [WorkerThreads.Job] = []
    }

    private let state = Monitored(State())

    /// - Returns: whether a thread has to be made for it.
    func add(_ job: @escaping WorkerThreads.Job, threadCountMax: Int) -> Bool {
        state.change { state in
            state.waiting.append(job)
            guard state.idleCount < state.waiting.count, state.threadCount < threadCountMax else { return false }
            state.threadCount += 1
            return true
        }
    }

    /// - Returns: whether a thread has to be made for what waits.
    func lend(threadCountMax: Int) -> Bool {
        state.change { state in
            state.lentCount += 1
            state.threadCount -= 1
            guard state.idleCount < state.waiting.count, state.threadCount < threadCountMax else { return false }
            state.threadCount += 1
            return true
        }
    }

    func takeBack() {
        state.change { state in
            state.lentCount -= 1
            state.threadCount += 1
        }
    }

    func close() { state.change { $0.isClosed = true } }

    /// Until the queue is closed and empty.
    func work() {
        while let job = next() { job() }
    }

    func waitUntilIdle() {
        state.wait { $0.waiting.isEmpty && $0.lentCount == 0 && $0.idleCount == $0.threadCount ? () : nil }
    }

    func workWithoutStaying() {
        while let job = state.change({ state in Self.take(&state) }) { job() }
        state.change { $0.threadCount -= 1 }
    }

    private func next() -> WorkerThreads.Job? {
        // One that was lent may have been replaced.
        let isOneTooMany = state.change { state in
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
