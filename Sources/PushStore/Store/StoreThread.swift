internal import Platform
import Synchronization

/// Thread that alone uses a connection and its statements. Jobs queue while it works.
final class StoreThread<Worker: AnyObject>: Sendable {
    fileprivate struct Inbox {
        var jobs: [StoreJob<Worker>] = []
        /// Taken by the thread; they may have ended.
        var begun: [StoreJob<Worker>] = []
        var weight = 0
        var isClosing = false
        var start: Result<Void, StoreError>?
        var isEnded = false
        var whenEnded: [CheckedContinuation<Void, Never>] = []
    }

    private static var stackByteCount: Int { 1 << 20 }
    private let inbox: Monitored<Inbox>
    private let weightMax: Int
    private let clock: CallClock

    /// - Parameters:
    ///   - weightMax: bound of the queue for jobs that can be refused.
    ///   - clock: gives each job its deadline.
    ///   - gathers: lets other threads run once if fewer jobs wait than shared the last group: their callers are likely
    ///     to come again, and a group waits for the disk once.
    ///   - open: makes the worker, on the thread.
    ///   - execute: ends each queued job, in order.
    /// - Throws: errors of `open`, and `.failed(operation: .thread)`.
    init(
        weightMax: Int,
        clock: CallClock = CallClock(),
        gathers: Bool = false,
        open: @escaping @Sendable () throws(StoreError) -> Worker,
        execute: @escaping @Sendable (Worker, [StoreJob<Worker>]) -> Void
    ) throws(StoreError) {
        self.weightMax = weightMax
        self.clock = clock
        let inbox = Monitored(Inbox())
        self.inbox = inbox
        let hasStarted = DetachedThread.start(stackByteCount: Self.stackByteCount) {
            Self.run(inbox, gathers: gathers, open: open, execute: execute)
            let waiting = inbox.change { inbox in
                inbox.isEnded = true
                defer { inbox.whenEnded = [] }
                return inbox.whenEnded
            }
            for continuation in waiting { continuation.resume() }
        }
        guard hasStarted else { throw .failed(operation: .thread, code: EAGAIN) }
        try inbox.wait { $0.start }.get()
    }

    deinit { inbox.change { $0.isClosing = true } }

    /// Runs `body` on the thread; parameters as for `SQLiteStore.write`.
    ///
    /// - Throws: `.overloaded`, `.closed`, and errors of `body`.
    func perform<Value: Sendable>(
        weight: Int = 1,
        canBeRefused: Bool = false,
        _ body: @escaping @Sendable (Worker) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await awaited { submit(weight: weight, canBeRefused: canBeRefused, body, completion: $0) }
    }

    /// Callback form of `perform`.
    ///
    /// - Parameters:
    ///   - late: undoes, on the thread, what the job did after its call had ended with an error.
    ///   - completion: called once, on the thread, the caller's or that of `endOverdue`.
    @discardableResult
    func submit<Value: Sendable>(
        weight: Int = 1,
        canBeRefused: Bool = false,
        _ body: @escaping @Sendable (Worker) throws(StoreError) -> Value,
        late: (@Sendable (Value) -> Void)? = nil,
        completion: @escaping StoreCompletion<Value>
    ) -> StoreCall {
        let result = JobResult(body, late, completion)
        let job = StoreJob<Worker>(
            weight: weight,
            isNewWork: canBeRefused,
            deadline: clock.deadline,
            inbox: inbox,
            run: { worker throws(StoreError) in try result.make(worker) },
            complete: { error, isLate in result.complete(error, isLate: isLate) }
        )
        let refusal: StoreError? = inbox.change { inbox in
            if inbox.isClosing { return .closed }
            if canBeRefused, inbox.weight + weight > weightMax, !inbox.jobs.isEmpty { return .overloaded }
            inbox.jobs.append(job)
            inbox.weight += weight
            return nil
        }
        guard let refusal else { return StoreCall { job.cancel() } }
        job.end(refusal)
        return .ended
    }

    /// Ends jobs whose time is over; those that have not begun are not run.
    ///
    /// - Parameter error: of those that have begun.
    func endOverdue(begun error: StoreError) {
        let now = clock.now()
        let (waiting, begun) = inbox.change { inbox in
            let waiting = inbox.jobs.filter { $0.deadline <= now }
            let begun = inbox.begun.filter { $0.deadline <= now }
            guard !waiting.isEmpty else { return (waiting, begun) }
            inbox.jobs.removeAll { $0.deadline <= now }
            inbox.weight -= waiting.reduce(0) { $0 + $1.weight }
            return (waiting, begun)
        }
        for job in waiting { job.end(.timedOut) }
        for job in begun { job.end(error) }
    }

    /// Runs queued jobs, then ends the thread.
    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isEnded = inbox.change { inbox in
                inbox.isClosing = true
                if !inbox.isEnded { inbox.whenEnded.append(continuation) }
                return inbox.isEnded
            }
            if isEnded { continuation.resume() }
        }
    }

    /// Bound of one transaction, which bounds every job's wait.
    private static var groupWeightMax: Int { 4_096 }

    private static func run(
        _ inbox: Monitored<Inbox>,
        gathers: Bool,
        open: () throws(StoreError) -> Worker,
        execute: (Worker, [StoreJob<Worker>]) -> Void
    ) {
        let worker: Worker
        do throws(StoreError) {
            worker = try open()
        } catch {
            inbox.change { $0.start = .failure(error) }
            return
        }
        inbox.change { $0.start = .success(()) }
        var expectedCount = 0
        while true {
            let group: [StoreJob<Worker>]? = inbox.wait { inbox in
                if !inbox.begun.isEmpty { inbox.begun = [] }
                if inbox.jobs.isEmpty { return inbox.isClosing ? .some([]) : nil }
                if inbox.jobs.count < expectedCount { return .some(nil) }
                var count = 0
                var weight = 0
                for job in inbox.jobs {
                    if count > 0, weight + job.weight > groupWeightMax { break }
                    count += 1
                    weight += job.weight
                }
                inbox.weight -= weight
                if count == inbox.jobs.count {
                    inbox.begun = inbox.jobs
                    inbox.jobs = []
                    return inbox.begun
                }
                inbox.begun = Array(inbox.jobs.prefix(count))
                inbox.jobs.removeFirst(count)
                return inbox.begun
            }
            guard let group else {
                expectedCount = 0
                sched_yield()
                continue
            }
            if group.isEmpty { return }
            if gathers { expectedCount = group.count }
            execute(worker, group)
        }
    }
}

/// Time that a call has, by a clock that cannot be set.
struct CallClock: Sendable {
    /// Milliseconds.
    var now: @Sendable () -> Int64 = { Int64(clamping: Uptime.ofMachine.milliseconds) }
    var milliseconds: Int64 = .max

    var deadline: Int64 { milliseconds == .max ? .max : now() + milliseconds }
}

/// Job of a store's thread. It is run, perhaps twice, and its call ended once.
///
/// Not generic over the result: methods that a generic class overrides are not specialised, and each job would look its
/// types up.
final class StoreJob<Worker: AnyObject>: Sendable {
    let weight: Int
    let isNewWork: Bool
    let deadline: Int64
    let run: @Sendable (Worker) throws(StoreError) -> Void
    private let inbox: Monitored<StoreThread<Worker>.Inbox>?
    private let complete: @Sendable (StoreError?, _ isLate: Bool) -> Void
    private let hasEnded = Atomic(false)

    fileprivate init(
        weight: Int,
        isNewWork: Bool,
        deadline: Int64,
        inbox: Monitored<StoreThread<Worker>.Inbox>,
        run: @escaping @Sendable (Worker) throws(StoreError) -> Void,
        complete: @escaping @Sendable (StoreError?, _ isLate: Bool) -> Void
    ) {
        self.weight = weight
        self.isNewWork = isNewWork
        self.deadline = deadline
        self.inbox = inbox
        self.run = run
        self.complete = complete
    }

    /// Work of the thread's own, of no call.
    init(_ run: @escaping @Sendable (Worker) throws(StoreError) -> Void) {
        (weight, isNewWork, deadline, inbox) = (0, false, .max, nil)
        self.run = run
        complete = { _, _ in }
    }

    /// Completes the call, unless it has ended.
    ///
    /// - Parameter error: nil for success, on the thread.
    func end(_ error: StoreError?) { complete(error, hasEnded.exchange(true, ordering: .acquiringAndReleasing)) }

    /// Ends the call, unless the thread has taken it.
    fileprivate func cancel() {
        let isWaiting = inbox?.change { inbox in
            guard let index = inbox.jobs.firstIndex(where: { $0 === self }) else { return false }
            inbox.jobs.remove(at: index)
            inbox.weight -= weight
            return true
        }
        if isWaiting == true { end(.cancelled) }
    }
}

/// Result of a job, for its call.
///
/// Unchecked: `value` is written and read on the thread alone, and `completion` taken by the first `complete` alone.
private final class JobResult<Worker: AnyObject, Value: Sendable>: @unchecked Sendable {
    private let body: @Sendable (Worker) throws(StoreError) -> Value
    private let late: (@Sendable (Value) -> Void)?
    private var completion: StoreCompletion<Value>
    private var value: Value?

    init(
        _ body: @escaping @Sendable (Worker) throws(StoreError) -> Value,
        _ late: (@Sendable (Value) -> Void)?,
        _ completion: @escaping StoreCompletion<Value>
    ) {
        self.body = body
        self.late = late
        self.completion = completion
    }

    func make(_ worker: Worker) throws(StoreError) { value = try body(worker) }

    /// - Parameter isLate: true if the call has ended.
    func complete(_ error: StoreError?, isLate: Bool) {
        guard !isLate else {
            if error == nil, let value { late?(value) }
            return
        }
        let completion = completion
        self.completion = { _ in }
        if let error {
            completion(.failure(error))
        } else if let value {
            completion(.success(value))
        } else {
            completion(.failure(.closed))
        }
    }
}
