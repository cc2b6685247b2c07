internal import Networking

/// Connects to the first server of a URL that takes writes. Lives on one loop.
final class ServerConnector {
    private struct Candidate {
        let host: DatabaseURL.Host
        /// nil for a unix socket.
        let address: String?
    }

    private let loop: EventLoop
    private let url: DatabaseURL
    private let settings: SessionSettings
    private var completion: ((consuming Result<Session, PostgreSQLError>) -> Void)?
    private var hosts: ArraySlice<DatabaseURL.Host>
    private var candidates: ArraySlice<Candidate> = []
    private var query: Resolver.Query?
    private var session: Session?
    private var watch: EventLoop.Watch?
    private var timer: LoopTimer?
    private var errors: [PostgreSQLError] = []

    init(loop: EventLoop, url: DatabaseURL, settings: SessionSettings) {
        self.loop = loop
        self.url = url
        self.settings = settings
        hosts = url.hosts[...]
    }

    /// Calls `completion` on the loop, once; not after `cancel`.
    func connect(_ completion: @escaping (consuming Result<Session, PostgreSQLError>) -> Void) {
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
            finish(.success(session))
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

    private func finish(_ result: consuming Result<Session, PostgreSQLError>) {
        let completion = self.completion
        cancel()
        completion?(result)
    }

    private func endAttempt() {
        unwatch()
        timer?.cancel()
        timer = nil
        session = nil
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
