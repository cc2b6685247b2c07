/// One server for HTTP/2 and HTTP/1.1: over TLS on one port, by what the client negotiates, and in plain text on the
/// loopback address. All of it lives on one loop.
package final class HTTPFront: Sendable {
    /// Where to listen: an IPv4 or IPv6 literal, or "localhost"; port 0 lets the system choose.
    package struct Listen: Sendable {
        package let address: String
        package let port: UInt16

        package init(address: String, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// In the order of what was asked for.
    package let ports: [UInt16]
    /// Nil when nobody asked for it.
    package let loopbackPort: UInt16?
    let core: LoopBound<HTTPFrontCore>

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - listens: where TLS is spoken.
    ///   - context: a server's that speaks `h2` and `http/1.1` and does not insist on ALPN; see `TLSContext.server`.
    ///   - loopbackPort: where HTTP/1.1 in plain text is spoken to this machine; nil: nowhere.
    ///   - loop: where all of it lives.
    ///   - limits: what is allowed, and how long.
    ///   - application: what answers; let go of when the server has closed.
    /// - Returns: the server, which closes gracefully when its last reference goes.
    /// - Throws: `.addressInUse` with the port, among others; nobody listens then.
    package static func start(
        listens: [Listen],
        context: TLSContext,
        loopbackPort: UInt16? = nil,
        loop: EventLoop,
        limits: HTTPLimits = HTTPLimits(),
        application: any HTTPApplication
    ) async throws(TransportError) -> HTTPFront {
        try await start(loop, limits, application) { core throws(TransportError) in
            try core.listen(listens, context)
            if let loopbackPort { try core.listenPlain(port: loopbackPort) }
        }
    }

    /// Starts to listen on 127.0.0.1 alone, in plain text: for people and their tools on this machine. Other programs of the
    /// machine can call it too, and so can every page in a browser on it: let each request prove that it may.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose; see `loopbackPort`.
    ///   - loop: where all of it lives.
    ///   - limits: what is allowed, and how long.
    ///   - application: what answers; let go of when the server has closed.
    /// - Returns: the server, which closes gracefully when its last reference goes.
    /// - Throws: `.addressInUse` with the port, among others.
    package static func startPlain(
        port: UInt16,
        loop: EventLoop,
        limits: HTTPLimits = HTTPLimits(),
        application: any HTTPApplication
    ) async throws(TransportError) -> HTTPFront {
        try await start(loop, limits, application) { core throws(TransportError) in try core.listenPlain(port: port) }
    }

    private static func start(
        _ loop: EventLoop,
        _ limits: HTTPLimits,
        _ application: any HTTPApplication,
        _ listen: @escaping @Sendable (HTTPFrontCore) throws(TransportError) -> Void
    ) async throws(TransportError) -> HTTPFront {
        let result: Result<HTTPFront, TransportError> = await withCheckedContinuation { continuation in
            loop.perform {
                continuation.resume(
                    returning: Result { () throws(TransportError) in
                        let core = HTTPFrontCore(application: application, limits: limits, loop: loop)
                        do throws(TransportError) {
                            try listen(core)
                        } catch {
                            core.closeListeners()
                            throw error
                        }
                        return HTTPFront(core)
                    }
                )
            }
        }
        return try result.get()
    }

    private init(_ core: HTTPFrontCore) {
        ports = core.ports
        loopbackPort = core.loopbackPort
        self.core = LoopBound(core, to: core.service.loop)
    }

    deinit {
        let core = core
        core.loop.perform { core.value.close(gracefully: true) {} }
    }

    /// For a certificate that was renewed: who comes from now on gets it, and nobody is dropped.
    package func replaceContext(_ context: TLSContext) async {
        let core = core
        await core.loop.run { core.value.replaceContext(context) }
    }

    /// Other limits: those of connections for who comes from now on. How much memory bodies may take stays.
    package func replaceLimits(_ limits: HTTPLimits) async {
        let core = core
        await core.loop.run { core.value.replaceLimits(limits) }
    }

    /// Accepts no more, frees the ports, lets requests that were begun have their answers within the drain deadline (or ends
    /// at once), and returns when every connection is closed.
    package func close(gracefully: Bool = true) async {
        let core = core
        await withCheckedContinuation { continuation in
            core.loop.perform {
                core.value.close(gracefully: gracefully) { continuation.resume() }
            }
        }
    }

    /// How much memory bodies take at the moment.
    package func bodyMemoryByteCount() async -> Int {
        let core = core
        return await core.loop.run { core.value.service.budget.byteCount }
    }

    /// How many connections there are at the moment, those of the loopback port included.
    package func connectionCount() async -> Int {
        let core = core
        return await core.loop.run { core.value.connectionCount }
    }
}
