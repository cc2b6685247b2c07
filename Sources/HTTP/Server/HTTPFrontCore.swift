import Networking

final class HTTPFrontCore {
    let service: HTTPService
    private var limits: HTTP2ServerLimits
    private var table: HTTPConnectionTable
    private var listeners: [TLSListener] = []
    private var plainListeners: [PlainListener] = []
    private var connections: [HTTPConnectionTable.ID: HTTPFrontConnection] = [:]
    private(set) var loopbackConnections: [ObjectIdentifier: (PlainChannel, HTTP1Connection)] = [:]
    private var onClosed: [() -> Void] = []

    init(application: any HTTPApplication, limits: HTTPLimits, loop: EventLoop) {
        service = HTTPService(application: application, limits: limits, loop: loop)
        self.limits = limits.http2
        table = HTTPConnectionTable(
            countMax: limits.connectionCountMax,
            countPerNetworkMax: limits.connectionCountPerAddressMax
        )
    }

    var ports: [UInt16] { listeners.map(\.port) }
    var loopbackPort: UInt16? { plainListeners.first { $0.port != 0 }?.port }
    var connectionCount: Int { connections.count + loopbackConnections.count }

    /// Listens for TLS. After an error, call `closeListeners`.
    func listen(_ listens: [HTTPFront.Listen], _ context: TLSContext) throws(TransportError) {
        for listen in listens { listeners.append(try listener(listen, context)) }
    }

    func listenPlain(at place: PlainListener.Place) throws(TransportError) {
        plainListeners.append(
            try PlainListener(
                at: place,
                loop: service.loop,
                limits: service.limits.channel,
                admits: { [self] in loopbackConnections.count < service.limits.loopbackConnectionCountMax },
                makeOwner: { [self] channel in makeLoopbackConnection(channel) }
            )
        )
    }

    private func listener(_ listen: HTTPFront.Listen, _ context: TLSContext) throws(TransportError) -> TLSListener {
        try TLSListener(
            address: listen.address,
            port: listen.port,
            context: context,
            loop: service.loop,
            limits: service.limits.channel,
            // The table counts the connections of all listeners.
            connectionCountMax: .max,
            admits: { [self] host in makesRoom(for: host) },
            makesDescriptorFree: { [self] in table.oldest.map { closeForOthers($0) } != nil },
            makeDelegate: { [self] channel in makeConnection(channel) }
        )
    }

    /// Returns false if there is no room, even by eviction.
    private func makesRoom(for host: String) -> Bool {
        let admission = table.admission(of: host, isProxy: service.limits.isProxy(host), at: service.loop.now)
        if case .inPlaceOf(let id) = admission { closeForOthers(id) }
        return admission != .refused
    }

    private func closeForOthers(_ id: HTTPConnectionTable.ID) {
        table.remove(id)
        connections[id]?.abort()
    }

    private func makeConnection(_ channel: TLSChannel) -> HTTPFrontConnection {
        let host = channel.remoteHost ?? ""
        let id = table.insert(host, isProxy: service.limits.isProxy(host), at: service.loop.now)
        let connection = HTTPFrontConnection(
            channel,
            service: service,
            limits: limits,
            onStanding: { [self] standing in table.move(id, to: standing, at: service.loop.now) },
            onClosed: { [self] in
                table.remove(id)
                connections[id] = nil
                didClose()
            }
        )
        connections[id] = connection
        return connection
    }

    private func makeLoopbackConnection(_ channel: PlainChannel) -> HTTP1Connection {
        let id = ObjectIdentifier(channel)
        let connection = HTTP1Connection(
            channel,
            service: service,
            remoteAddress: nil,
            onKeyAccepted: {},
            onClosed: { [self] in
                loopbackConnections[id] = nil
                didClose()
            }
        )
        loopbackConnections[id] = (channel, connection)
        return connection
    }

    func replaceContext(_ context: TLSContext) {
        for listener in listeners { listener.replaceContext(context) }
    }

    /// Open connections keep their deadlines; a lower limit closes none.
    func replaceLimits(_ limits: HTTPLimits) {
        service.limits = limits
        self.limits = limits.http2
        table.countMax = limits.connectionCountMax
        table.countPerNetworkMax = limits.connectionCountPerAddressMax
        for listener in listeners { listener.limits = limits.channel }
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
        for listener in plainListeners { listener.close() }
        plainListeners = []
    }

    private func didClose() {
        // A listening server may just have no connection.
        guard connectionCount == 0, listeners.isEmpty, plainListeners.isEmpty else { return }
        service.end()
        let closed = onClosed
        onClosed = []
        for completion in closed { completion() }
    }
}
