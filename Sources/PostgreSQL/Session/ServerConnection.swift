internal import Networking

/// A session on a loop. It sends a batch's statements at once and has one batch at a time.
final class ServerConnection {
    typealias Completion = (Result<[QueryResult], PostgreSQLError>) -> Void

    private let loop: EventLoop
    /// nil once closed.
    private var session: Session?
    private var watch: EventLoop.Watch?
    private var watchesWrites = false
    /// Statements that the server has a plan of.
    private var names: [Statement: String] = [:]
    /// Those that this batch prepares.
    private var newNames: [Statement: String] = [:]
    private var nameCount = 0
    private var progress: BatchProgress?
    private var completion: Completion?
    /// Called once, after the batch's completion.
    var onClose: ((PostgreSQLError) -> Void)?
    var onNotification: ((_ channel: String, _ payload: String) -> Void)?

    var isClosed: Bool { session == nil }
    let backendID: Int32

    init(_ session: consuming Session, on loop: EventLoop) {
        self.loop = loop
        backendID = session.backendID
        self.session = consume session
    }

    /// Begins to read.
    func open() throws(PostgreSQLError) {
        do throws(TransportError) {
            watch = try loop.watch(session?.descriptor ?? -1, for: .read, handler: self)
        } catch {
            close(.connectionLost)
            throw .notDone(.unreachable("\(error)"))
        }
    }

    /// Calls `completion` once, perhaps from within. Only while no other batch is on its way.
    func run(_ batch: Batch, _ completion: @escaping Completion) {
        precondition(progress == nil, "one batch at a time")
        self.completion = completion
        var steps: [BatchProgress.Step] = []
        let isQueued = batch.calls.allSatisfy { queue($0, &steps) } && session?.sync() == true
        progress = BatchProgress(steps + [.sync], writes: batch.writes)
        if isQueued { advance() } else { close(.library(call: "PQsendQueryPrepared")) }
    }

    private func queue(_ call: Batch.Call, _ steps: inout [BatchProgress.Step]) -> Bool {
        var name: String?
        if call.statement.isPrepared {
            name = names[call.statement] ?? newNames[call.statement]
        }
        if call.statement.isPrepared, name == nil {
            nameCount += 1
            let new = "s\(nameCount)"
            guard session?.prepare(new, call) == true else { return false }
            steps.append(.prepare(call.statement))
            newNames[call.statement] = new
            name = new
        }
        steps.append(.call)
        return session?.send(call, as: name) == true
    }

    private func advance() {
        if progress?.isSent == false {
            switch session?.flush() {
            case .done: progress?.isSent = true
            case .more: break
            case .failed, nil: return close(.connectionLost)
            }
        }
        while progress?.isSent == true, let reply = session?.reply() {
            for warning in session?.takeWarnings() ?? [] { progress?.handle(warning) }
            if let end = progress?.handle(reply) {
                finish(end)
                break
            }
        }
        while let (channel, payload) = session?.nextNotification() { onNotification?(channel, payload) }
        watchWrites(progress?.isSent == false)
    }

    private func finish(_ end: BatchProgress.End) {
        if case .lost(let reason) = end { return close(reason) }
        // A statement stays prepared, also where its batch was rolled back.
        for statement in progress?.prepared ?? [] { names[statement] = newNames[statement] }
        newNames = [:]
        let completion = self.completion
        self.completion = nil
        progress = nil
        switch end {
        case .results(let results): completion?(.success(results))
        case .failed(let error):
            if Self.needsNewSession(error) { close(error.reason) }
            completion?(.failure(error))
        case .lost: break
        }
    }

    /// True after a failover, and where a plan is of an earlier schema.
    private static func needsNewSession(_ error: PostgreSQLError) -> Bool {
        switch error.reason {
        case .readOnly: true
        case .refused(let state): ["0A000", "26000"].contains(state.description)
        default: false
        }
    }

    /// Ends session and batch. The server rolls back what it had no Sync for.
    func close(_ reason: PostgreSQLError.Reason) {
        guard session != nil else { return }
        if let watch { loop.unwatch(watch) }
        watch = nil
        session = nil
        let error = progress?.lost(reason) ?? .notDone(reason)
        let (completion, onClose) = (self.completion, self.onClose)
        progress = nil
        self.completion = nil
        self.onClose = nil
        onNotification = nil
        completion?(.failure(error))
        onClose?(error)
    }

    private func watchWrites(_ isWanted: Bool) {
        guard isWanted != watchesWrites, let watch else { return }
        do throws(TransportError) {
            try loop.update(watch, for: isWanted ? [.read, .write] : .read)
            watchesWrites = isWanted
        } catch {
            close(.connectionLost)
        }
    }
}

extension ServerConnection: ReadinessHandler {
    func handleReadiness(_ readiness: Readiness) {
        guard session?.consume() == true else {
            // The server's last words, its error among them, came with the end.
            advance()
            return close(.connectionLost)
        }
        advance()
    }

    func handleLoopStop() { close(.closed) }
}
