private import CCurl
private import Platform

/// Pool of connections to many servers, with HTTP/2 where possible, driven by one thread. As with `HTTPSExchange`,
/// nothing is followed, unpacked or remembered.
///
///     let connections = try HTTPSConnections()
///     connections.start(HTTPSRequest(.post, url)) { error in … }
package final class HTTPSConnections: Sendable {
    private static let stackByteCount = 1 << 20

    private let inbox: HTTPSInbox

    /// - Throws: `.library` without a thread or memory.
    package init() throws(HTTPSError) {
        let inbox = HTTPSInbox(try MultiHandle())
        self.inbox = inbox
        let hasThread = DetachedThread.start(stackByteCount: Self.stackByteCount) { HTTPSMover(inbox).run() }
        guard hasThread else { throw .library(call: "pthread_create", code: 0) }
    }

    deinit { stop() }

    /// Starts a request. The callbacks run on the pool's thread and must not block.
    ///
    /// - Parameters:
    ///   - onHead: false ends the request.
    ///   - onBytes: gets bytes in order; false ends the request.
    ///   - completion: called once, with nil for a complete answer.
    package func start(
        _ request: HTTPSRequest,
        onHead: @escaping @Sendable (HTTPSHead) -> Bool = { _ in true },
        onBytes: @escaping @Sendable (RawSpan) -> Bool = { _ in true },
        completion: @escaping @Sendable (HTTPSError?) -> Void
    ) {
        let job = HTTPSInbox.Job(request: request, onHead: onHead, onBytes: onBytes, completion: completion)
        if !inbox.add(job) { completion(.cancelled) }
    }

    /// Cancels all requests, current and future.
    package func stop() { inbox.stop() }
}

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

/// Runs all requests; confined to the pool's thread.
private final class HTTPSMover {
    /// libcurl has the transfer's address.
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
