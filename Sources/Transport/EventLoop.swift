import Glibc
import Platform
import Synchronization

/// Something that gathers output during a turn of the loop and hands it over once, at the turn's end.
package protocol TurnEndHandler: AnyObject {
    func handleTurnEnd()
}

/// One thread that waits for descriptors, timers and queued work. Nothing that runs on it may block.
///
/// Actors may use it as their executor and tasks as their preferred one: a task pinned to the loop reaches a
/// connection without a thread switch, which is most of the cost of a request.
///
/// A task that does not prefer the loop goes back into its queue at every `await` of an actor that lives here, also before
/// the body of a `withCheckedContinuation`: what decides whether to wait is asked inside that body, never before it.
///
/// Unchecked: the inbox is behind a lock and the poller may be woken from anywhere; all else is touched by the loop's
/// thread only, which every call that changes it checks.
@safe package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private let inbox = Guarded(LoopInbox())
    private let runningThread = Atomic<UInt>(0)
    private let poller: Poller
    private var timers = TimerHeap()
    private var turnEnd: [any TurnEndHandler] = []
    /// What this turn took from the inbox; empty between turns.
    private var work: [LoopInbox.Work] = []
    /// Room for work that an emptied list keeps; what a burst took beyond it goes back.
    private static let keptWorkCount = 4096

    /// Read once a turn. Loop only.
    package private(set) var now = MonotonicTime.now()

    private var holdUp = HoldUp()
    /// When it began to wait, or the turn before where it had no time to.
    private var waitBegan = MonotonicTime.now()

    /// After the loop itself was held up, nobody else is late before this. Loop only.
    package var judgesFrom: MonotonicTime { holdUp.judgesFrom }

    /// Where channels on this loop read to: one buffer for all, because each is done with it before the next starts.
    package let scratch = ReadScratch()

    /// Starts the thread. It runs until `stop()`, which must be called: the thread keeps the loop alive.
    package init() throws(TransportError) {
        poller = try Poller()
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

    /// Whether the caller runs on this loop, and may therefore touch what lives on it.
    package var isOnLoop: Bool {
        runningThread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Runs `work` on the loop, later, after what was queued before it. From any thread; also after `stop()`, when
    /// the caller's own thread runs it (one at a time), so that nobody waits for ever.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        add(.closure(work))
    }

    /// Runs `work` on the loop and waits for its result.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: work()) }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isOnLoop
    }

    package func checkIsolated() {
        precondition(isOnLoop, "called off its event loop")
    }

    /// Runs what is queued, tells every watched descriptor's owner, and joins the thread. Not from the loop itself.
    /// A second call returns at once.
    package func stop() {
        precondition(!isOnLoop, "the loop cannot wait for itself")
        guard let thread = inbox.withLock({ $0.beginStop() }) else { return }
        poller.wake()
        pthread_join(thread, nil)
    }

    /// As `stop()`, without waiting for the thread's end; from the loop itself, too.
    package func stopLater() {
        guard let thread = inbox.withLock({ $0.beginStop() }) else { return }
        poller.wake()
        pthread_detach(thread)
    }

    /// For the `deinit` of who made it, of which nobody knows where it runs: as `stop()`, and on the loop as `stopLater()`.
    package func stopAnywhere() {
        if isOnLoop { stopLater() } else { stop() }
    }

    private func add(_ work: LoopInbox.Work) {
        switch inbox.withLock({ $0.add(work) }) {
        case .nothing: break
        case .wake: poller.wake()
        case .drain:
            // A task holds its executor until its end, which may be among what runs now, and whoever enqueues a job holds none.
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
            case .job(let job):
                unsafe job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(),
                    taskExecutor: asUnownedTaskExecutor()
                )
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

    /// One turn: wait, then descriptors, timers, queued work, and at the end what was gathered. False: time to stop.
    private func turn() -> Bool {
        let milliseconds = prepareToWait()
        let eventCount = poller.wait(milliseconds: milliseconds)
        let turnBegan = now
        now = .now()
        // A hold-up is a second and more; `Duration` is too slow for each turn.
        if now.nanoseconds - turnBegan.nanoseconds >= 1_000_000_000 {
            holdUp.didWait(
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
        // A handler may make another one ask for its turn end; the list then grows under the walk.
        var index = 0
        while index < turnEnd.count {
            turnEnd[index].handleTurnEnd()
            index += 1
        }
        turnEnd.removeAll(keepingCapacity: true)
    }

    /// After the last turn: runs what is queued until nothing is. Under the lock that sees the queue empty the thread
    /// stops to be the loop's, so that nothing is left behind and no two threads are the loop's at once.
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
    /// Proof that a descriptor is watched; gives access to the watch.
    package struct Watch {
        let descriptor: Int32
        let generation: UInt32
    }

    /// True once the loop has been told to stop: what is started now would never be served.
    package var isStopping: Bool {
        inbox.withLock { $0.isStopping }
    }

    /// Watches `descriptor` until `unwatch`, which must come before it is closed. Keeps `handler` alive.
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

    /// Calls `action` on the loop once `delay` has passed, not before; resolution one millisecond.
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

    /// Calls `handler` once more before the loop waits again.
    package func atTurnEnd(_ handler: any TurnEndHandler) {
        checkIsolated()
        turnEnd.append(handler)
    }
}
