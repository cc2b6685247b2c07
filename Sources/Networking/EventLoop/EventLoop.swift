import Glibc
import Platform
import Synchronization

/// Hands over the output of a turn of the loop once, at the turn's end.
package protocol TurnEndHandler: AnyObject {
    func handleTurnEnd()
}

/// One thread that waits for descriptors, timers and queued work. Nothing on it may block.
///
/// A task pinned to the loop reaches a connection without a thread switch, most of a request's cost. A task without
/// that preference is queued again at every `await` of an actor on the loop, even before the body of a
/// `withCheckedContinuation`: decide whether to wait inside that body.
///
/// Unchecked Sendable: a lock guards the inbox, and any thread may wake the poller. All else belongs to the loop's
/// thread, which every mutating call checks.
@safe package final class EventLoop: TaskExecutor, @unchecked Sendable {
    private let actorExecutor = LoopActorExecutor()
    private let inbox = Guarded(LoopInbox())
    private let runningThread = Atomic<UInt>(0)
    private let poller: Poller
    private var timers = TimerHeap()
    private var turnEnd: [any TurnEndHandler] = []
    private var work: [LoopInbox.Work] = []
    /// Capacity that the emptied list keeps; more, after a burst, is freed.
    private static let keptWorkCount = 4096

    /// Read once a turn. Loop only.
    package private(set) var now = MonotonicTime.now()

    private var loopStall = LoopStall()
    /// Start of the wait, or of the turn if it had none.
    private var waitBegan = MonotonicTime.now()
    private let began = MonotonicTime.now()
    private var waitedNanoseconds: Int64 = 0
    private var turnCount: Int64 = 0

    /// Work of a loop since its start, before its present turn.
    package struct Usage {
        /// Time that it did not wait.
        package var nanoseconds: Int64
        package var turnCount: Int64

        package init(nanoseconds: Int64 = 0, turnCount: Int64 = 0) {
            (self.nanoseconds, self.turnCount) = (nanoseconds, turnCount)
        }
    }

    /// Loop only.
    package var usage: Usage {
        Usage(nanoseconds: now.nanoseconds - began.nanoseconds - waitedNanoseconds, turnCount: turnCount)
    }

    /// Earliest expiry of a peer's deadline after a hold-up of the loop. Loop only.
    package var judgesFrom: MonotonicTime { loopStall.judgesFrom }

    /// Shared by all channels: each is done before the next starts.
    package let scratch = ReadScratch()

    /// Starts the thread, which keeps the loop alive until `stop()`; that is mandatory.
    package init() throws(TransportError) {
        poller = try Poller()
        actorExecutor.loop = self
        try startThread()
    }

    private func startThread() throws(TransportError) {
        var thread = pthread_t()
        let loop = unsafe Unmanaged.passRetained(self)
        let code = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let loop = unsafe Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
                loop.run()
                return nil
            },
            loop.toOpaque()
        )
        guard code == 0 else {
            unsafe loop.release()
            throw .system(call: "pthread_create", code: code)
        }
        inbox.withLock { $0.thread = thread }
    }

    // MARK: Work from anywhere

    /// True on the loop's thread, where its state may be used.
    package var isOnLoop: Bool {
        runningThread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Runs `work` on the loop later, in queue order. From any thread. After `stop()` the caller's thread runs it, one
    /// at a time, so that no caller waits for ever.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        add(.closure(work))
    }

    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: work()) }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        add(.task(UnownedJob(job)))
    }

    /// For actors on the loop, which keep it alive.
    package var unownedExecutor: UnownedSerialExecutor { unsafe actorExecutor.asUnownedSerialExecutor() }

    func enqueueForActor(_ job: UnownedJob) {
        add(.actor(job))
    }

    package func checkIsolated() {
        precondition(isOnLoop, "called off its event loop")
    }

    /// Runs queued work, notifies every watched descriptor's handler and joins the thread. Not from the loop itself. A
    /// second call returns at once.
    package func stop() {
        precondition(!isOnLoop, "the loop cannot wait for itself")
        guard let thread = inbox.withLock({ $0.beginStop() }) else { return }
        poller.wake()
        pthread_join(thread, nil)
    }

    /// Stops without waiting for the thread's end; the loop itself may call it.
    package func stopLater() {
        guard let thread = inbox.withLock({ $0.beginStop() }) else { return }
        poller.wake()
        pthread_detach(thread)
    }

    /// Stops from a `deinit`, which may run on any thread.
    package func stopAnywhere() {
        if isOnLoop { stopLater() } else { stop() }
    }

    private func add(_ work: LoopInbox.Work) {
        switch inbox.withLock({ $0.add(work) }) {
        case .nothing: break
        case .wake: poller.wake()
        case .drain:
            // The work may end the task that kept the loop alive; the enqueuing thread holds no reference.
            let held = unsafe Unmanaged.passRetained(self)
            defer { unsafe held.release() }
            runningThread.store(UInt(pthread_self()), ordering: .relaxed)
            drain()
        }
    }

    private func run(_ work: [LoopInbox.Work]) {
        for item in work {
            switch item {
            case .closure(let closure): closure()
            case .task(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            case .actor(let job):
                unsafe job.runSynchronously(isolatedTo: unownedExecutor, taskExecutor: asUnownedTaskExecutor())
            }
        }
    }

    // MARK: The thread

    private func run() {
        runningThread.store(UInt(pthread_self()), ordering: .relaxed)
        while turn() {}
        poller.stop()
        timers.removeAll()
        drain()
    }

    /// Returns false once the loop should stop.
    private func turn() -> Bool {
        let milliseconds = prepareToWait()
        let eventCount = poller.wait(milliseconds: milliseconds)
        let turnBegan = now
        now = .now()
        turnCount += 1
        if milliseconds != 0 { waitedNanoseconds += now.nanoseconds - waitBegan.nanoseconds }
        // `Duration` is too slow for each turn.
        if now.nanoseconds - turnBegan.nanoseconds >= 1_000_000_000 {
            loopStall.didWait(
                turnBegan: turnBegan,
                waitBegan: waitBegan,
                plannedMilliseconds: milliseconds,
                now: now
            )
        }
        poller.dispatch(eventCount)
        while let action = timers.popAction(at: now) {
            action()
        }
        let isStopping = inbox.withLock { inbox in
            inbox.wakeUp()
            inbox.takeWork(into: &work)
            return inbox.isStopping
        }
        run(work)
        work.removeAll(keepingCapacity: work.count <= Self.keptWorkCount)
        endTurn()
        return !isStopping
    }

    private func prepareToWait() -> Int32 {
        waitBegan = now
        guard inbox.withLock({ $0.fallAsleep() }) else { return 0 }
        waitBegan = .now()
        return timers.waitMilliseconds(at: waitBegan)
    }

    private func endTurn() {
        var index = 0
        while index < turnEnd.count {
            turnEnd[index].handleTurnEnd()
            index += 1
        }
        turnEnd.removeAll(keepingCapacity: true)
    }

    /// Runs queued work after the last turn. The thread gives up the loop under the lock that sees the queue empty: no
    /// work is lost, and never two threads run the loop.
    private func drain() {
        while true {
            var work: [LoopInbox.Work] = []
            inbox.withLock { inbox in
                inbox.takeWork(into: &work)
                if work.isEmpty, turnEnd.isEmpty {
                    inbox.end()
                    runningThread.store(0, ordering: .relaxed)
                }
            }
            guard isOnLoop else { return }
            run(work)
            endTurn()
        }
    }
}

// MARK: - On the loop only

extension EventLoop {
    package struct Watch {
        let descriptor: Int32
        let generation: UInt32
    }

    /// True once the loop is to stop: new work would never be served.
    package var isStopping: Bool {
        inbox.withLock { $0.isStopping }
    }

    /// Watches `descriptor` until `unwatch`, which must precede its close. Keeps `handler` alive.
    package func watch(
        _ descriptor: Int32,
        for readiness: Readiness,
        handler: any ReadinessHandler
    ) throws(TransportError) -> Watch {
        checkIsolated()
        return try poller.watch(descriptor, for: readiness, handler: handler)
    }

    package func update(_ watch: Watch, for readiness: Readiness) throws(TransportError) {
        checkIsolated()
        try poller.update(watch, for: readiness)
    }

    package func unwatch(_ watch: Watch) {
        checkIsolated()
        poller.unwatch(watch)
    }

    /// Calls `action` on the loop once `delay` has passed, never earlier; resolution one millisecond.
    @discardableResult
    package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        checkIsolated()
        let timer = LoopTimer(deadline: .now() + delay, loop: self, action: action)
        timers.insert(timer)
        return timer
    }

    func cancel(_ timer: LoopTimer) {
        checkIsolated()
        timers.remove(timer)
    }

    /// Calls `handler` once before the loop waits again.
    package func atTurnEnd(_ handler: any TurnEndHandler) {
        checkIsolated()
        turnEnd.append(handler)
    }
}
