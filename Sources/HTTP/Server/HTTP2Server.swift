package import Networking
import Platform

package struct HTTP2ServerLimits: Sendable {
    package var channel = TLSChannelLimits()
    package var settings = HTTP2Settings()
    /// From a stream's first header byte to the request's last body byte.
    package var requestDeadline: Duration = .seconds(30)
    /// From the response to its last byte taken: peers may hold streams open by not reading.
    package var responseDeadline: Duration = .seconds(30)
    package var idleDeadline: Duration = .seconds(600)
    /// From handshake to GOAWAY, however busy; nil: unlimited.
    package var lifetimeMax: Duration?
    package var drainDeadline: Duration = .seconds(5)
    package var connectionCountMax = 1024
    package var farewells = HTTP2Farewells()

    package init() {}
}

/// Debug data of the GOAWAY frames that a server sends of its own accord (RFC 9113 section 6.8).
package struct HTTP2Farewells: Sendable {
    package var idle: [UInt8] = []
    package var lifetime: [UInt8] = []
    package var shutdown: [UInt8] = []
    /// Equal frames in a row.
    package var frameCount = 1

    package init() {}
}

/// Application's part of one connection: one object each, for that connection's state.
package protocol HTTP2Handler: AnyObject {
    /// Handles a complete request. On the loop, without blocking; the response may come later.
    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder)
    func connectionDidClose()
}

extension HTTP2Handler {
    package func connectionDidClose() {}
}

/// Serves HTTP/2 over TLS on one loop.
package final class HTTP2Server: Sendable {
    package let port: UInt16
    private let core: LoopBound<HTTP2ServerCore>

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: IPv4 or IPv6 literal, or "localhost".
    ///   - port: 0 lets the system choose.
    ///   - context: A server's, with `h2` among its protocols.
    ///   - admits: Called on the loop with a client's address, without the port. False closes the connection unread.
    ///   - makeHandler: Called on the loop after each handshake.
    /// - Returns: Server, which closes gracefully with its last reference.
    /// - Throws: `.addressInUse` with the port, among others.
    package static func start(
        address: String,
        port: UInt16,
        context: TLSContext,
        loop: EventLoop,
        limits: HTTP2ServerLimits = HTTP2ServerLimits(),
        admits: (@Sendable (String) -> Bool)? = nil,
        makeHandler: @escaping @Sendable (HTTP2ServerConnection) -> any HTTP2Handler
    ) async throws(TransportError) -> HTTP2Server {
        let result: Result<HTTP2Server, TransportError> = await withCheckedContinuation { continuation in
            loop.perform {
                continuation.resume(
                    returning: Result { () throws(TransportError) in
                        let core = HTTP2ServerCore(loop: loop, limits: limits, makeHandler: makeHandler)
                        let port = try core.listen(address, port, context, admits: admits)
                        return HTTP2Server(port: port, core: LoopBound(core, to: loop))
                    }
                )
            }
        }
        return try result.get()
    }

    private init(port: UInt16, core: LoopBound<HTTP2ServerCore>) {
        self.port = port
        self.core = core
    }

    deinit {
        let core = core
        core.loop.perform { core.value.close(gracefully: true) {} }
    }

    /// Sends GOAWAY on every open connection, not on new ones. Apple puts a reason in JSON in `debugData`.
    package func goAway(code: UInt32, debugData: [UInt8]) {
        let core = core
        core.loop.perform { core.value.goAway(code: code, debugData: debugData) }
    }

    /// Open connections keep their limits and context. On the loop.
    package func replace(_ limits: HTTP2ServerLimits, context: TLSContext) {
        core.value.replace(limits, context)
    }

    /// Stops accepting, sends GOAWAY, lets open streams end within the drain deadline (or ends at once), and returns
    /// when all have closed.
    package func close(gracefully: Bool = true) async {
        let core = core
        await withCheckedContinuation { continuation in
            core.loop.perform {
                core.value.close(gracefully: gracefully) { continuation.resume() }
            }
        }
    }
}

final class HTTP2ServerCore {
    let loop: EventLoop
    private var limits: HTTP2ServerLimits
    private var makeHandler: (@Sendable (HTTP2ServerConnection) -> any HTTP2Handler)?
    private var listener: TLSListener?
    private var connections: [ObjectIdentifier: HTTP2ServerConnection] = [:]
    private var onClosed: [() -> Void] = []

    init(
        loop: EventLoop,
        limits: HTTP2ServerLimits,
        makeHandler: @escaping @Sendable (HTTP2ServerConnection) -> any HTTP2Handler
    ) {
        self.loop = loop
        self.limits = limits
        self.makeHandler = makeHandler
    }

    func listen(
        _ address: String,
        _ port: UInt16,
        _ context: TLSContext,
        admits: ((String) -> Bool)?
    ) throws(TransportError) -> UInt16 {
        let listener = try TLSListener(
            address: address,
            port: port,
            context: context,
            loop: loop,
            limits: limits.channel,
            connectionCountMax: limits.connectionCountMax,
            admits: admits
        ) { [self] channel in makeConnection(channel) }
        self.listener = listener
        return listener.port
    }

    func replace(_ limits: HTTP2ServerLimits, _ context: TLSContext) {
        self.limits = limits
        listener?.limits = limits.channel
        listener?.connectionCountMax = limits.connectionCountMax
        listener?.replaceContext(context)
    }

    private func makeConnection(_ channel: TLSChannel) -> HTTP2ServerConnection {
        let connection = HTTP2ServerConnection(channel: channel, limits: limits, makeHandler: makeHandler) {
            [self] connection in didClose(connection)
        }
        connections[ObjectIdentifier(connection)] = connection
        return connection
    }

    func close(gracefully: Bool, completion: @escaping () -> Void) {
        listener?.close()
        listener = nil
        // The application's factory may hold this server.
        makeHandler = nil
        guard !connections.isEmpty else { return completion() }
        onClosed.append(completion)
        for connection in connections.values {
            if gracefully {
                connection.goAway(debugData: limits.farewells.shutdown)
            } else {
                connection.abort()
            }
        }
    }

    func goAway(code: UInt32, debugData: [UInt8]) {
        for connection in connections.values { connection.goAway(code: code, debugData: debugData) }
    }

    private func didClose(_ connection: HTTP2ServerConnection) {
        connections[ObjectIdentifier(connection)] = nil
        guard connections.isEmpty else { return }
        let closed = onClosed
        onClosed = []
        for completion in closed {
            completion()
        }
    }
}
