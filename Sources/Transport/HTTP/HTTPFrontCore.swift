/// The loop's side of a server for both versions: its listeners and who is connected.
final class HTTPFrontCore {
    let service: HTTPService
    private var limits: HTTP2ServerLimits
    private var places: HTTPPlaces
    private var listeners: [TLSListener] = []
    private var loopbackListener: PlainListener?
    private var connections: [ObjectIdentifier: HTTPFrontConnection] = [:]
    private(set) var loopbackConnections: [ObjectIdentifier: (PlainChannel, HTTP1Connection)] = [:]
    private var onClosed: [() -> Void] = []

    init(application: any HTTPApplication, limits: HTTPLimits, loop: EventLoop) {
        service = HTTPService(application: application, limits: limits, loop: loop)
        self.limits = limits.http2
        places = HTTPPlaces(
            countMax: limits.connectionCountMax,
            countPerNetworkMax: limits.connectionCountPerAddressMax
        )
    }

    var ports: [UInt16] { listeners.map(\.port) }
    var loopbackPort: UInt16? { loopbackListener?.port }
    var connectionCount: Int { connections.count + loopbackConnections.count }

    /// Listens for TLS. After a failure `closeListeners` is called.
    func listen(_ listens: [HTTPFront.Listen], _ context: TLSContext) throws(TransportError) {
        for listen in listens { listeners.append(try listener(listen, context)) }
    }

    /// Listens on 127.0.0.1 for plain text.
    func listenPlain(port: UInt16) throws(TransportError) {
        loopbackListener = try PlainListener(
            port: port,
            loop: service.loop,
            limits: service.limits.channel,
            admits: { [self] in loopbackConnections.count < service.limits.loopbackConnectionCountMax },
            makeOwner: { [self] channel in makeLoopbackConnection(channel) }
        )
    }

    private func listener(_ listen: HTTPFront.Listen, _ context: TLSContext) throws(TransportError) -> TLSListener {
        try TLSListener(
            address: listen.address,
            port: listen.port,
            context: context,
            loop: service.loop,
            limits: service.limits.channel,
            connectionCountMax: service.limits.connectionCountMax,
            admits: { [self] host in places.admits(host) },
            makeDelegate: { [self] channel in makeConnection(channel) }
        )
    }

    private func makeConnection(_ channel: TLSChannel) -> HTTPFrontConnection {
        let host = channel.remoteHost ?? ""
        places.enter(host)
        let id = ObjectIdentifier(channel)
        let connection = HTTPFrontConnection(channel, service: service, limits: limits) { [self] in
            places.leave(host)
            connections[id] = nil
            didClose()
        }
        connections[id] = connection
        return connection
    }

    private func makeLoopbackConnection(_ channel: PlainChannel) -> HTTP1Connection {
        let id = ObjectIdentifier(channel)
        let connection = HTTP1Connection(channel, service: service, remoteAddress: nil) { [self] in
            loopbackConnections[id] = nil
            didClose()
        }
        loopbackConnections[id] = (channel, connection)
        return connection
    }

    func replaceContext(_ context: TLSContext) {
        for listener in listeners { listener.replaceContext(context) }
    }

    /// Who is there keeps the deadlines that it came with; how many may come is a question of the next one.
    func replaceLimits(_ limits: HTTPLimits) {
        service.limits = limits
        self.limits = limits.http2
        places.countMax = limits.connectionCountMax
        places.countPerNetworkMax = limits.connectionCountPerAddressMax
        for listener in listeners {
            listener.connectionCountMax = limits.connectionCountMax
            listener.limits = limits.channel
        }
    }

    func close(gracefully: Bool, completion: @escaping () -> Void) {
        closeListeners()
        onClosed.append(completion)
        guard connectionCount > 0 else { return didClose() }
        for connection in connections.values {
            if gracefully { connection.drain() } else { connection.abort() }
        }
        for (channel, connection) in loopbackConnections.values {
            if gracefully { connection.drain() } else { channel.abort(.connectionClosed, resets: false) }
        }
    }

    func closeListeners() {
        for listener in listeners { listener.close() }
        listeners = []
        loopbackListener?.close()
        loopbackListener = nil
    }

    private func didClose() {
        // A server that listens is between two connections, and not at its end.
        guard connectionCount == 0, listeners.isEmpty, loopbackListener == nil else { return }
        service.end()
        let closed = onClosed
        onClosed = []
        for completion in closed { completion() }
    }
}
