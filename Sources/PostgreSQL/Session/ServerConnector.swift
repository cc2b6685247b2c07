internal import Networking

/// Newest timeline that was seen of a database: a server of an earlier one was the primary before a failover. Lives on
/// one loop.
final class TimelineMark {
    var newest: Int64 = 0
}

/// Connects to the first server of a URL that takes writes and is of no earlier timeline. Lives on one loop.
final class ServerConnector {
    private struct Candidate {
        let host: DatabaseURL.Host
        /// nil for a unix socket.
        let address: String?
    }

    private let loop: EventLoop
    private let url: DatabaseURL
    private let settings: SessionSettings
    private let timeline: TimelineMark
    private var completion: ((Result<ServerConnection, PostgreSQLError>) -> Void)?
    private var hosts: ArraySlice<DatabaseURL.Host>
    private var candidates: ArraySlice<Candidate> = []
    private var query: Resolver.Query?
    private var session: Session?
    /// Connected, and not yet asked for its timeline.
    private var connection: ServerConnection?
    private var watch: EventLoop.Watch?
    private var timer: LoopTimer?
    private var errors: [PostgreSQLError] = []

    init(loop: EventLoop, url: DatabaseURL, settings: SessionSettings, timeline: TimelineMark) {
        self.loop = loop
        self.timeline = timeline
        self.url = url
        self.settings = settings
        hosts = url.hosts[...]
    }

    /// Calls `completion` on the loop, once; not after `cancel`.
    func connect(_ completion: @escaping (Result<ServerConnection, PostgreSQLError>) -> Void) {
        self.completion = completion
        tryNext()
    }

    func cancel() {
        completion = nil
        if let query { Resolver.shared.cancel(query) }
        query = nil
        endAttempt()
    }

    private func tryNext() {
        endAttempt()
        guard !loop.isStopping else { return finish(.failure(.notDone(.closed))) }
        if let candidate = candidates.popFirst() { return start(candidate) }
        guard let host = hosts.popFirst() else { return fail() }
        guard !host.isLocal else { return start(Candidate(host: host, address: nil)) }
        let box = LoopBound(self, to: loop)
        query = Resolver.shared.resolve(host: host.name, port: host.port, on: loop) { result in
            box.value.didResolve(host, result)
        }
    }

    private func didResolve(_ host: DatabaseURL.Host, _ result: Result<[SocketAddress], TransportError>) {
        query = nil
        guard completion != nil else { return }
        switch result {
        case .success(let addresses): candidates = addresses.map { Candidate(host: host, address: $0.host) }[...]
        case .failure(let error): errors.append(.notDone(.hostNotFound("\(error)")))
        }
        tryNext()
    }

    private func start(_ candidate: Candidate) {
        var parameters = url.parameters.merging(settings.parameters) { $1 }
        parameters["host"] = candidate.host.name
        parameters["port"] = "\(candidate.host.port)"
        parameters["hostaddr"] = candidate.address
        // A local server has no name to verify; libpq leaves TLS out there.
        parameters["sslmode"] = candidate.address == nil ? "prefer" : "verify-full"
        guard let session = Session(parameters.map { (name: $0.key, value: $0.value) }) else {
            return didFail(.notDone(.library(call: "PQconnectStartParams")))
        }
        let hasFailed = session.hasFailed
        self.session = consume session
        timer = loop.schedule(after: settings.connectTimeout) { [self] in didFail(.notDone(.deadlineExceeded)) }
        // libpq: after the start as if the first poll had said `.writing`.
        if hasFailed { didFail(connectError) } else { wait(for: .write) }
    }

    private func wait(for readiness: Readiness) {
        guard let descriptor = session?.descriptor, descriptor >= 0 else { return didFail(connectError) }
        do throws(TransportError) {
            watch = try loop.watch(descriptor, for: readiness, handler: self)
        } catch {
            didFail(.notDone(.unreachable("\(error)")))
        }
    }

    private func poll() {
        // A poll may close the socket, and open another.
        unwatch()
        switch session?.poll() {
        case .reading: wait(for: .read)
        case .writing: wait(for: .write)
        case .connected: didConnect()
        case .failed, nil: didFail(connectError)
        }
    }

    private func didConnect() {
        guard let session = session.take() else { return }
        if session.serverVersion < 140_000 {
            didFail(.broken(.serverTooOld(version: session.serverVersion)))
        } else if session.setting("in_hot_standby") == "on" || session.setting("default_transaction_read_only") == "on"
        {
            didFail(.broken(.readOnly))
        } else if !session.enterPipeline() {
            didFail(.notDone(.library(call: "PQenterPipelineMode")))
        } else {
            checkTimeline(of: ServerConnection(session, on: loop))
        }
    }

    /// First eight digits of a log file's name.
    private static let askTimeline = Statement(
        once: "SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8"
    )

    private func checkTimeline(of connection: ServerConnection) {
        self.connection = connection
        var batch = Batch(writes: false)
        batch.add(Self.askTimeline)
        do throws(PostgreSQLError) {
            try connection.open()
        } catch {
            return didFail(error)
        }
        connection.run(batch) { [self] result in
            // An attempt that ended has closed it.
            guard self.connection === connection else { return }
            do throws(PostgreSQLError) {
                let rows = try result.get().flatMap(\.rows)
                guard let found = try rows.first?.int64(0) else { throw .broken(.unexpectedResult(column: 0)) }
                guard found >= timeline.newest else { throw .broken(.olderTimeline) }
                timeline.newest = found
                self.connection = nil
                finish(.success(connection))
            } catch {
                didFail(error)
            }
        }
    }

    private func didFail(_ error: PostgreSQLError) {
        errors.append(error)
        tryNext()
    }

    /// The error that may mend itself, if there is one: with one host down and the other a standby, a failover is near.
    private func fail() {
        let passing = errors.last { if case .broken = $0 { false } else { true } }
        finish(.failure(passing ?? errors.last ?? .notDone(.closed)))
    }

    private func finish(_ result: Result<ServerConnection, PostgreSQLError>) {
        let completion = self.completion
        cancel()
        completion?(result)
    }

    private func endAttempt() {
        unwatch()
        timer?.cancel()
        timer = nil
        session = nil
        let connection = self.connection
        self.connection = nil
        connection?.close(.closed)
    }

    private func unwatch() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }

    private var connectError: PostgreSQLError { ConnectText.error(session?.errorText ?? "") }
}

extension ServerConnector: ReadinessHandler {
    func handleReadiness(_ readiness: Readiness) { poll() }

    func handleLoopStop() { finish(.failure(.notDone(.closed))) }
}
