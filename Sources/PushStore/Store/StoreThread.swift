internal import Platform

/// Thread that alone uses a connection and its statements. Jobs queue while it works.
final class StoreThread<Worker>: Sendable {
    private struct Inbox {
        var jobs: [StoreJob<Worker>] = []
        var weight = 0
        var isClosing = false
        var start: Result<Void, StoreError>?
        var isEnded = false
        var whenEnded: [CheckedContinuation<Void, Never>] = []
    }

    private static var stackByteCount: Int { 1 << 20 }
    private let inbox: Monitored<Inbox>
    private let weightMax: Int

    /// - Parameters:
    ///   - weightMax: bound of the queue for jobs that can be refused.
    ///   - open: makes the worker, on the thread.
    ///   - execute: ends each queued job, in order.
    /// - Throws: errors of `open`, and `.failed(operation: .thread)`.
    init(
        weightMax: Int,
        open: @escaping @Sendable () throws(StoreError) -> Worker,
        execute: @escaping @Sendable (Worker, [StoreJob<Worker>]) -> Void
    ) throws(StoreError) {
        self.weightMax = weightMax
        let inbox = Monitored(Inbox())
        self.inbox = inbox
        let hasStarted = DetachedThread.start(stackByteCount: Self.stackByteCount) {
            Self.run(inbox, open: open, execute: execute)
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
    /// - Parameter completion: called once, on the thread; on the caller's if the job is refused.
    func submit<Value: Sendable>(
        weight: Int = 1,
        canBeRefused: Bool = false,
        _ body: @escaping @Sendable (Worker) throws(StoreError) -> Value,
        completion: @escaping StoreCompletion<Value>
    ) {
        let job = TypedJob(weight: weight, isNewWork: canBeRefused, body: body, completion: completion)
        let refusal: StoreError? = inbox.change { inbox in
            if inbox.isClosing { return .closed }
            if canBeRefused, inbox.weight + weight > weightMax, !inbox.jobs.isEmpty { return .overloaded }
            inbox.jobs.append(job)
            inbox.weight += weight
            return nil
        }
        if let refusal { job.end(refusal) }
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
        while true {
            let group: [StoreJob<Worker>] = inbox.wait { inbox in
                if inbox.jobs.isEmpty { return inbox.isClosing ? [] : nil }
                var count = 0
                var weight = 0
                for job in inbox.jobs {
                    if count > 0, weight + job.weight > groupWeightMax { break }
                    count += 1
                    weight += job.weight
                }
                inbox.weight -= weight
                if count == inbox.jobs.count {
                    defer { inbox.jobs = [] }
                    return inbox.jobs
                }
                let group = Array(inbox.jobs.prefix(count))
                inbox.jobs.removeFirst(count)
                return group
            }
            if group.isEmpty { return }
            execute(worker, group)
        }
    }
}

/// Job of a store's thread. It is run, perhaps twice, and ended once.
class StoreJob<Worker> {
    let weight: Int
    let isNewWork: Bool

    init(weight: Int, isNewWork: Bool = false) {
        self.weight = weight
        self.isNewWork = isNewWork
    }

    func run(_ worker: Worker) throws(StoreError) {}

    /// Completes the job; nil for success.
    func end(_ error: StoreError?) {}
}

private final class TypedJob<Worker, Value: Sendable>: StoreJob<Worker> {
    private let body: @Sendable (Worker) throws(StoreError) -> Value
    private let completion: StoreCompletion<Value>
    private var value: Value?

    init(
        weight: Int,
        isNewWork: Bool,
        body: @escaping @Sendable (Worker) throws(StoreError) -> Value,
        completion: @escaping StoreCompletion<Value>
    ) {
        self.body = body
        self.completion = completion
        super.init(weight: weight, isNewWork: isNewWork)
    }

    override func run(_ worker: Worker) throws(StoreError) { value = try body(worker) }

    override func end(_ error: StoreError?) {
        if error == nil, let value {
            completion(.success(value))
        } else {
            completion(.failure(error ?? .closed))
        }
    }
}
