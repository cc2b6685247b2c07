/// Connects to a host's first address that answers (RFC 8305). Lives on one loop; the owner sets the deadline.
package final class TCPConnector {
    private let loop: EventLoop
    private let route: TCPRoute
    /// Nil before `connect`, after its call, and after `cancel`.
    private var completion: ((consuming Result<Socket, TransportError>) -> Void)?
    private var query: Resolver.Query?
    private var candidates: ArraySlice<SocketAddress> = []
    private var attempts: [ConnectAttempt] = []
    private var delay: LoopTimer?
    private var lastError = TransportError.hostNotFound(reason: "no address")

    /// - Parameter route: Its proxy is ignored.
    package init(loop: EventLoop, route: TCPRoute) {
        self.loop = loop
        self.route = route
    }

    /// Calls `completion` on the loop, once, never from within this call; not after `cancel`.
    package func connect(
        host: String,
        port: UInt16,
        _ completion: @escaping (consuming Result<Socket, TransportError>) -> Void
    ) {
        self.completion = completion
        let box = LoopBound(self, to: loop)
        query = route.resolver.resolve(host: host, port: port, on: loop) { result in
            box.value.didResolve(result)
        }
    }

    private func didResolve(_ result: Result<[SocketAddress], TransportError>) {
        query = nil
        guard completion != nil else { return }
        guard !loop.isStopping else { return complete(.failure(.loopStopped)) }
        switch result {
        case .failure(let error): complete(.failure(error))
        case .success(let addresses):
            candidates = AddressOrder.candidates(addresses, offset: route.addressOffset)[...]
            tryNextAddress()
        }
    }

    /// Starts the next address after a failure or a silence; a silent attempt continues.
    private func tryNextAddress() {
        delay?.cancel()
        delay = nil
        while let address = candidates.popFirst() {
            let attempt = ConnectAttempt(loop: loop) { [self] attempt in didDecide(attempt) }
            do throws(TransportError) {
                try attempt.begin(address)
            } catch {
                lastError = error
                continue
            }
            attempts.append(attempt)
            guard !candidates.isEmpty else { return }
            delay = loop.schedule(after: route.attemptDelay) { [self] in tryNextAddress() }
            return
        }
        if attempts.isEmpty { complete(.failure(lastError)) }
    }

    private func didDecide(_ attempt: ConnectAttempt) {
        attempts.removeAll { $0 === attempt }
        switch attempt.takeOutcome() {
        case .success(let socket): complete(.success(socket))
        case .failure(.loopStopped): complete(.failure(.loopStopped))
        case .failure(let error):
            lastError = error
            tryNextAddress()
        }
    }

    private func complete(_ result: consuming Result<Socket, TransportError>) {
        let completion = self.completion
        cancel()
        completion?(result)
    }

    package func cancel() {
        completion = nil
        if let query { route.resolver.cancel(query) }
        query = nil
        candidates = []
        delay?.cancel()
        delay = nil
        for attempt in attempts { attempt.cancel() }
        attempts = []
    }
}
