/// One socket on its way to one address. Lives on one loop.
final class ConnectAttempt {
    private let loop: EventLoop
    private var socket: Socket?
    private var watch: EventLoop.Watch?
    private var failure: TransportError?
    /// Nil once it has been called, or when nobody wants the outcome any more.
    private var onDecided: ((ConnectAttempt) -> Void)?

    /// - Parameters:
    ///   - loop: where the socket will live.
    ///   - onDecided: called on the loop, once, never from within `begin`; not at all after `cancel`.
    init(loop: EventLoop, onDecided: @escaping (ConnectAttempt) -> Void) {
        self.loop = loop
        self.onDecided = onDecided
    }

    /// - Throws: what makes the address unusable at once.
    func begin(_ address: SocketAddress) throws(TransportError) {
        let socket = try Socket(family: address.family)
        // A socket that is connected already is writable, and so the loop tells of it like of any other.
        _ = try socket.connect(to: address)
        watch = try loop.watch(socket.descriptor, for: .write, handler: self)
        self.socket = consume socket
    }

    /// What became of it, for `onDecided` to fetch.
    func takeOutcome() -> Result<Socket, TransportError> {
        guard let socket = socket.take() else { return .failure(failure ?? .cancelled) }
        return .success(socket)
    }

    /// Gives up; harmless when it is over already.
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
