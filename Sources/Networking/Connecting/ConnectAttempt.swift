/// One connect to one address. Lives on one loop.
final class ConnectAttempt {
    private let loop: EventLoop
    private var socket: Socket?
    private var watch: EventLoop.Watch?
    private var failure: TransportError?
    /// Nil after its call or `cancel`.
    private var onDecided: ((ConnectAttempt) -> Void)?

    /// - Parameter onDecided: Called on the loop, once, never from within `begin`; not after `cancel`.
    init(loop: EventLoop, onDecided: @escaping (ConnectAttempt) -> Void) {
        self.loop = loop
        self.onDecided = onDecided
    }

    func begin(_ address: SocketAddress) throws(TransportError) {
        let socket = try Socket(family: address.family)
        // A socket that connects at once becomes writable, too.
        _ = try socket.connect(to: address)
        watch = try loop.watch(socket.descriptor, for: .write, handler: self)
        self.socket = consume socket
    }

    func takeOutcome() -> Result<Socket, TransportError> {
        guard let socket = socket.take() else { return .failure(failure ?? .cancelled) }
        return .success(socket)
    }

    func cancel() {
        onDecided = nil
        unwatch()
        socket = nil
    }

    private func decide(_ failure: TransportError?) {
        unwatch()
        self.failure = failure
        if failure != nil { socket = nil }
        let onDecided = self.onDecided
        self.onDecided = nil
        onDecided?(self)
    }

    private func unwatch() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }
}

extension ConnectAttempt: ReadinessHandler {
    func handleReadiness(_ readiness: Readiness) {
        do throws(TransportError) {
            try socket?.finishConnect()
            decide(nil)
        } catch {
            decide(error)
        }
    }

    func handleLoopStop() {
        decide(.loopStopped)
    }
}
