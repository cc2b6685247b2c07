import Networking

/// A latency proxy's state on its loop: joins each caller with the target.
final class LatencyListener {
    let port: UInt16
    private let loop: EventLoop
    private let target: (host: String, port: UInt16)
    private let delay: Duration
    private let byteCountMax: Int
    private var socket: Socket?
    private var watch: EventLoop.Watch?
    private var pairs: [Int: LatencyEnd] = [:]
    private var connectors: [Int: TCPConnector] = [:]
    private var nextID = 0

    init(
        target: (host: String, port: UInt16),
        delay: Duration,
        byteCountMax: Int,
        loop: EventLoop
    ) throws(TransportError) {
        loop.checkIsolated()
        guard !loop.isStopping else { throw .loopStopped }
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: 0, isPassive: true)[0]
        let socket = try Socket(family: address.family)
        try socket.listen(at: address, backlog: 512)
        let boundPort = try socket.localPort()
        port = boundPort
        self.loop = loop
        self.target = target
        self.delay = delay
        self.byteCountMax = byteCountMax
        watch = try loop.watch(socket.descriptor, for: .read, handler: self)
        self.socket = consume socket
    }

    var connectionCount: Int { pairs.count }

    private func accept(_ accepted: consuming Socket) {
        let id = nextID
        nextID += 1
        let connector = TCPConnector(loop: loop, route: TCPRoute())
        connectors[id] = connector
        // A closure can consume a socket only from an optional that it empties.
        var caller: Socket? = consume accepted
        connector.connect(host: target.host, port: target.port) { [self] result in
            connectors[id] = nil
            guard let caller = caller.take() else { return }
            join(id, caller, result)
        }
    }

    private func join(_ id: Int, _ caller: consuming Socket, _ result: consuming Result<Socket, TransportError>) {
        do throws(TransportError) {
            pairs[id] = try LatencyEnd.join(
                caller,
                result.get(),
                delay: delay,
                byteCountMax: byteCountMax,
                loop: loop
            ) { [self] in pairs[id] = nil }
        } catch {
            // Both sockets are closed by now, and the caller sees that.
        }
    }

    func close() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        socket = nil
        for connector in connectors.values { connector.cancel() }
        connectors = [:]
        for pair in pairs.values { pair.close() }
        pairs = [:]
    }
}

extension LatencyListener: ReadinessHandler {
    func handleReadiness(_ readiness: Readiness) {
        for _ in 0..<64 {
            guard case .socket(let accepted) = socket?.accept() ?? .none else { return }
            accept(accepted)
        }
    }

    func handleLoopStop() {
        close()
    }
}
