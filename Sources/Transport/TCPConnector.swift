/// Finds a host and connects to the first of its addresses that answers. Lives on one loop; the deadline is its owner's.
final class TCPConnector {
    private let loop: EventLoop
    /// Nil once it has been called, or when nobody wants the outcome any more.
    private var completion: ((consuming Result<Socket, TransportError>) -> Void)?
    private var addresses: ArraySlice<SocketAddress> = []
    private var socket: Socket?
    private var watch: EventLoop.Watch?

    /// - Parameters:
    ///   - loop: where the socket will live.
    ///   - completion: called on the loop, once, never from within `connect`; not at all after `cancel`.
    init(loop: EventLoop, completion: @escaping (consuming Result<Socket, TransportError>) -> Void) {
        self.loop = loop
        self.completion = completion
    }

    func connect(host: String, port: UInt16) {
        let box = LoopBound(self, to: loop)
        Resolver.resolve(host: host, port: port, on: loop) { result in
            box.value.didResolve(result)
        }
    }

    private func didResolve(_ result: Result<[SocketAddress], TransportError>) {
        guard completion != nil else { return }
        guard !loop.isStopping else { return complete(.failure(.loopStopped)) }
        switch result {
        case .failure(let error): complete(.failure(error))
        case .success(let addresses):
            self.addresses = addresses[...]
            connectToNextAddress(after: .hostNotFound(reason: "no address"))
        }
    }

    /// Every address in turn; the last one's error is the one that is told.
    private func connectToNextAddress(after error: TransportError) {
        var lastError = error
        while let address = addresses.popFirst() {
            do throws(TransportError) {
                let socket = try Socket(family: address.family)
                guard try !socket.connect(to: address) else { return complete(.success(socket)) }
                watch = try loop.watch(socket.descriptor, for: .write, handler: self)
                self.socket = consume socket
                return
            } catch {
                lastError = error
            }
        }
        complete(.failure(lastError))
    }

    private func complete(_ result: consuming Result<Socket, TransportError>) {
        let completion = self.completion
        cancel()
        completion?(result)
    }

    /// Gives up; harmless when it is over already.
    func cancel() {
        completion = nil
        addresses = []
        unwatch()
        socket = nil
    }

    private func unwatch() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }
}

extension TCPConnector: ReadinessHandler {
    func handleReadiness(_ readiness: Readiness) {
        unwatch()
        guard let socket = socket.take() else { return }
        do throws(TransportError) {
            try socket.finishConnect()
        } catch {
            return connectToNextAddress(after: error)
        }
        complete(.success(socket))
    }

    func handleLoopStop() {
        complete(.failure(.loopStopped))
    }
}
