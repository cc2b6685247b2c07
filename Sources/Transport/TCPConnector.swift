/// Finds a host and connects to whichever of its addresses answers first (RFC 8305). Lives on one loop; the deadline is
/// its owner's.
package final class TCPConnector {
    private let loop: EventLoop
    private let route: TCPRoute
    /// Nil before `connect`, once it has been called, or when nobody wants the outcome any more.
    private var completion: ((consuming Result<Socket, TransportError>) -> Void)?
    private var query: Resolver.Query?
    private var candidates: ArraySlice<SocketAddress> = []
    private var attempts: [ConnectAttempt] = []
    private var delay: LoopTimer?
    /// The last address's is the one that is told.
    private var lastError = TransportError.hostNotFound(reason: "no address")

    /// - Parameters:
    ///   - loop: where the socket will live.
    ///   - route: who is asked for the addresses, with which to begin, and how long each has for itself. The proxy is no
    ///     concern of this type's.
    package init(loop: EventLoop, route: TCPRoute) {
        self.loop = loop
        self.route = route
    }

    /// Calls `completion` on the loop, once, never from within this call; not at all after `cancel`.
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

    /// The next address starts when the one before has failed, or was silent for a while; it goes on beside it.
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

    /// Gives up; harmless when it is over already.
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
