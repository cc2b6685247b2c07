private import CCurl
private import Platform

/// Requests to many servers over connections that are kept and shared, over HTTP/2 where a server speaks it. One thread moves all
/// of them along; as in an exchange, nothing is followed, unpacked or remembered.
///
///     let connections = try HTTPSConnections()
///     connections.start(HTTPSRequest(.post, url)) { error in … }
package final class HTTPSConnections: Sendable {
    private static let stackByteCount = 1 << 20

    private let inbox: HTTPSInbox

    /// - Throws: `.library` where there is no thread, or no memory.
    package init() throws(HTTPSError) {
        let inbox = HTTPSInbox(try MultiHandle())
        self.inbox = inbox
        let hasThread = DetachedThread.start(stackByteCount: Self.stackByteCount) { HTTPSMover(inbox).run() }
        guard hasThread else { throw .library(call: "pthread_create", code: 0) }
    }

    deinit { stop() }

    /// Begins a request. What it calls is called on the thread that moves all of them, and must not wait.
    ///
    /// - Parameters:
    ///   - request: what to ask.
    ///   - onHead: takes the answer's head before its first byte; false ends the request.
    ///   - onBytes: takes the answer's bytes as they come, in order; false ends the request.
    ///   - completion: called once; nil where the answer is whole.
    package func start(
        _ request: HTTPSRequest,
        onHead: @escaping @Sendable (HTTPSHead) -> Bool = { _ in true },
        onBytes: @escaping @Sendable (RawSpan) -> Bool = { _ in true },
        completion: @escaping @Sendable (HTTPSError?) -> Void
    ) {
        let job = HTTPSInbox.Job(request: request, onHead: onHead, onBytes: onBytes, completion: completion)
        if !inbox.add(job) { completion(.cancelled) }
    }

    /// Breaks off what is on its way; what comes later is cancelled at once.
    package func stop() { inbox.stop() }
}

/// What is handed to the thread.
private final class HTTPSInbox: Sendable {
    struct Job: Sendable {
        let request: HTTPSRequest
        let onHead: @Sendable (HTTPSHead) -> Bool
        let onBytes: @Sendable (RawSpan) -> Bool
        let completion: @Sendable (HTTPSError?) -> Void
    }

    private struct State {
        var jobs: [Job] = []
        var isStopped = false
    }

    let multi: MultiHandle
    private let state = Guarded(State())

    init(_ multi: MultiHandle) { self.multi = multi }

    /// - Returns: false after `stop`.
    func add(_ job: Job) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isStopped { state.jobs.append(job) }
            return !state.isStopped
        }
        multi.wake()
        return isTaken
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        multi.wake()
    }

    func takeAll() -> (jobs: [Job], isStopped: Bool) {
        state.withLock { state in
            defer { state.jobs = [] }
            return (state.jobs, state.isStopped)
        }
    }
}

/// The thread's own: every request that is on its way.
private final class HTTPSMover {
    /// A request on its way; libcurl has the transfer's address.
    private final class Running {
        let easy: EasyHandle
        let transfer: Transfer
        let completion: @Sendable (HTTPSError?) -> Void

        init(_ job: HTTPSInbox.Job) throws(HTTPSError) {
            transfer = Transfer(job.request, onHead: job.onHead, onBytes: job.onBytes, isCancelled: { false })
            easy = try EasyHandle.make(job.request, for: transfer)
            completion = job.completion
        }
    }

    private let inbox: HTTPSInbox
    private var running: [EasyHandle.Name: Running] = [:]

    init(_ inbox: HTTPSInbox) { self.inbox = inbox }

    func run() {
        while true {
            let (jobs, isStopped) = inbox.takeAll()
            for job in jobs { begin(job) }
            if isStopped { return endAll(.cancelled) }
            do throws(HTTPSError) {
                try inbox.multi.perform()
                while let (easy, result) = inbox.multi.nextEnd() {
                    if let ended = running[easy] { end(ended, ended.transfer.error(result)) }
                }
                try inbox.multi.wait()
            } catch {
                endAll(error)
            }
        }
    }

    private func begin(_ job: HTTPSInbox.Job) {
        do throws(HTTPSError) {
            let begun = try Running(job)
            try inbox.multi.add(begun.easy)
            running[begun.easy.name] = begun
        } catch {
            job.completion(error)
        }
    }

    private func end(_ ended: Running, _ error: HTTPSError?) {
        running[ended.easy.name] = nil
        inbox.multi.remove(ended.easy)
        ended.completion(error)
    }

    private func endAll(_ error: HTTPSError) {
        for one in Array(running.values) { end(one, error) }
    }
}
