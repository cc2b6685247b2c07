import CLinux
import Glibc
import Synchronization

/// What a file descriptor may be ready for. Errors and hang-ups count as both: the next call tells.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let read = Readiness(rawValue: 1)
    package static let write = Readiness(rawValue: 2)
    /// The connection is broken or over in both directions; comes whether it was asked for or not.
    package static let over = Readiness(rawValue: 4)
}

/// Owner of a watched file descriptor. Both calls come on the loop.
package protocol ReadinessHandler: AnyObject {
    func handleReadiness(_ readiness: Readiness)
    /// The loop ends. Close the descriptor and settle everyone who waits; nothing else will come.
    func handleLoopStop()
}

/// Something that gathers output during a turn of the loop and hands it over once, at the turn's end.
package protocol TurnEndHandler: AnyObject {
    func handleTurnEnd()
}

/// One thread that waits for descriptors, timers and queued work. Nothing that runs on it may block.
///
/// Actors may use it as their executor and tasks as their preferred one: a task pinned to the loop reaches a
/// connection without a thread switch, which is most of the cost of a request.
///
/// Unchecked: the inbox is behind a lock; all other state is touched by the loop's thread only, which every entry checks.
@safe package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    private enum Phase {
        case running, stopping, stopped
    }

    private struct Inbox {
        var work: [Work] = []
        var phase = Phase.running
        var thread: pthread_t?
        /// True while the thread waits in epoll: only then is a wake-up worth its system call.
        var isAsleep = false
        /// After the end: someone is already running what is queued.
        var isDraining = false
    }

    private struct Watched {
        let handler: any ReadinessHandler
        let generation: UInt32
    }

    private let inbox = Locked(Inbox())
    private let runningThread = Atomic<UInt>(0)
    private let epoll: Int32
    private let wakeup: Int32

    private var watched: [Watched?] = []
    private var generation: UInt32 = 0
    private var timers = TimerHeap()
    private var turnEnd: [any TurnEndHandler] = []
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: 256)

    /// Read once a turn. Loop only.
    package private(set) var now = MonotonicTime.now()

    /// Where channels on this loop read to: one buffer for all, because each is done with it before the next starts.
    let scratch = ReadScratch()

    /// Starts the thread. It runs until `stop()`, which must be called: the thread keeps the loop alive.
    package init() throws(TransportError) {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system(call: "epoll_create1", code: errno) }
        let wakeup = clinux_eventfd()
        guard wakeup >= 0 else {
            let code = errno
            close(epoll)
            throw .system(call: "eventfd", code: code)
        }
        self.epoll = epoll
        self.wakeup = wakeup
        // Data 0 is generation 0, which no registration ever has.
        var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
        guard unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) == 0 else {
            throw .system(call: "epoll_ctl", code: errno)
        }
        try startThread()
    }

    deinit {
        close(epoll)
        close(wakeup)
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
        let thread: pthread_t? = inbox.withLock { inbox in
            guard inbox.phase == .running else { return nil }
            inbox.phase = .stopping
            inbox.isAsleep = false
            return inbox.thread
        }
        guard let thread else { return }
        clinux_eventfd_signal(wakeup)
        pthread_join(thread, nil)
    }

    private func add(_ work: Work) {
        enum Next {
            case nothing, wake, drain
        }
        let next: Next = inbox.withLock { inbox in
            inbox.work.append(work)
            if inbox.phase == .stopped {
                guard !inbox.isDraining else { return .nothing }
                inbox.isDraining = true
                return .drain
            }
            guard inbox.isAsleep else { return .nothing }
            inbox.isAsleep = false
            return .wake
        }
        switch next {
        case .nothing: break
        // Fails only when the counter is full, and then the loop is awake anyway.
        case .wake: clinux_eventfd_signal(wakeup)
        case .drain: drainAfterStop()
        }
    }

    private func run(_ work: [Work]) {
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
        for registration in watched {
            registration?.handler.handleLoopStop()
        }
        timers.removeAll()
        finish()
    }

    /// One turn: wait, then descriptors, timers, queued work, and at the end what was gathered. False: time to stop.
    private func turn() -> Bool {
        let timeout = prepareToWait()
        let count = unsafe events.withUnsafeMutableBufferPointer { events in
            unsafe epoll_wait(epoll, events.baseAddress, Int32(events.count), timeout)
        }
        now = .now()
        // EINTR is the only failure an open epoll has; the next turn waits again.
        for index in 0..<max(0, Int(count)) {
            unsafe dispatch(events[index])
        }
        while let action = timers.popAction(at: now) {
            action()
        }
        let (work, isStopping) = inbox.withLock { inbox in
            inbox.isAsleep = false
            let work = inbox.work
            inbox.work = []
            return (work, inbox.phase != .running)
        }
        run(work)
        endTurn()
        return !isStopping
    }

    private func prepareToWait() -> Int32 {
        let isIdle = inbox.withLock { inbox in
            inbox.isAsleep = inbox.work.isEmpty && inbox.phase == .running
            return inbox.isAsleep
        }
        guard isIdle else { return 0 }
        guard let deadline = timers.earliest else { return -1 }
        let wait = deadline.nanoseconds.subtractingReportingOverflow(MonotonicTime.now().nanoseconds)
        guard !wait.overflow else { return .max }
        guard wait.partialValue > 0 else { return 0 }
        // Rounded up: waking a fraction of a millisecond early would spin until the deadline.
        return Int32(clamping: (wait.partialValue - 1) / 1_000_000 + 1)
    }

    private func dispatch(_ event: epoll_event) {
        let data = unsafe event.data.u64
        let descriptor = Int(data & 0xFFFF_FFFF)
        let generation = UInt32(truncatingIfNeeded: data >> 32)
        guard generation != 0 else {
            clinux_eventfd_clear(wakeup)
            return
        }
        // An earlier event of this batch may have closed the descriptor, and its number may serve another by now.
        guard descriptor < watched.count, let current = watched[descriptor], current.generation == generation else {
            return
        }
        var readiness: Readiness = []
        let ready = unsafe event.events
        let trouble = EPOLLERR.rawValue | EPOLLHUP.rawValue
        if ready & trouble != 0 { readiness.insert(.over) }
        if ready & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | trouble) != 0 { readiness.insert(.read) }
        if ready & (EPOLLOUT.rawValue | trouble) != 0 { readiness.insert(.write) }
        current.handler.handleReadiness(readiness)
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

    private func finish() {
        while true {
            let work = inbox.withLock { inbox in
                let work = inbox.work
                inbox.work = []
                if work.isEmpty, turnEnd.isEmpty {
                    inbox.phase = .stopped
                    runningThread.store(0, ordering: .relaxed)
                }
                return work
            }
            guard isOnLoop else { return }
            run(work)
            endTurn()
        }
    }

    private func drainAfterStop() {
        runningThread.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            let work = inbox.withLock { inbox in
                let work = inbox.work
                inbox.work = []
                if work.isEmpty, turnEnd.isEmpty {
                    inbox.isDraining = false
                    runningThread.store(0, ordering: .relaxed)
                }
                return work
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
        inbox.withLock { $0.phase != .running }
    }

    /// Watches `descriptor` until `unwatch`, which must come before it is closed. Keeps `handler` alive.
    package func watch(
        _ descriptor: Int32,
        for readiness: Readiness,
        handler: any ReadinessHandler
    ) throws(TransportError) -> Watch {
        checkIsolated()
        generation = generation == .max ? 1 : generation + 1
        let watch = Watch(descriptor: descriptor, generation: generation)
        try control(EPOLL_CTL_ADD, watch, readiness)
        while watched.count <= Int(descriptor) {
            watched.append(nil)
        }
        watched[Int(descriptor)] = Watched(handler: handler, generation: generation)
        return watch
    }

    package func update(_ watch: Watch, for readiness: Readiness) throws(TransportError) {
        checkIsolated()
        try control(EPOLL_CTL_MOD, watch, readiness)
    }

    package func unwatch(_ watch: Watch) {
        checkIsolated()
        guard watched[Int(watch.descriptor)]?.generation == watch.generation else { return }
        watched[Int(watch.descriptor)] = nil
        var event = unsafe epoll_event()
        // Fails only for a descriptor that is not watched, which the guard has excluded.
        unsafe epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, &event)
    }

    private func control(_ operation: Int32, _ watch: Watch, _ readiness: Readiness) throws(TransportError) {
        var events: UInt32 = 0
        if readiness.contains(.read) { events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
        if readiness.contains(.write) { events |= EPOLLOUT.rawValue }
        let data = UInt64(watch.generation) << 32 | UInt64(UInt32(bitPattern: watch.descriptor))
        var event = unsafe epoll_event(events: events, data: epoll_data_t(u64: data))
        guard unsafe epoll_ctl(epoll, operation, watch.descriptor, &event) == 0 else {
            throw .system(call: "epoll_ctl", code: errno)
        }
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
