package import Networking
import Platform

/// One server for HTTP/2 and HTTP/1.1, on one loop: over TLS, by ALPN, and in plain text to this machine.
package final class HTTPFront: Sendable {
    /// IPv4 or IPv6 literal, or "localhost", with a port; for port 0 the system chooses.
    package struct Listen: Sendable {
        package let address: String
        package let port: UInt16

        package init(address: String, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// In the order of `listens`.
    package let ports: [UInt16]
    /// Nil without a plain-text listener.
    package let loopbackPort: UInt16?
    let core: LoopBound<HTTPFrontCore>

    /// - Parameters:
    ///   - context: server's for `h2` and `http/1.1`, without required ALPN.
    ///   - loopbackPort: for plain HTTP/1.1 on this machine; nil: none.
    ///   - socket: for plain HTTP/1.1, as of `startUnix`; nil: none.
    ///   - application: released when the server has closed.
    /// - Returns: server, which closes gracefully with its last reference.
    /// - Throws: `.addressInUse` with the port, among others; then no port is open.
    package static func start(
        listens: [Listen],
        context: TLSContext,
        loopbackPort: UInt16? = nil,
        socket: (path: String, mode: UInt32)? = nil,
        loop: EventLoop,
        limits: HTTPLimits = HTTPLimits(),
        application: any HTTPApplication
    ) async throws(TransportError) -> HTTPFront {
        try await start(loop, limits, application) { core throws(TransportError) in
            try core.listen(listens, context)
            if let loopbackPort { try core.listenPlain(at: .loopback(port: loopbackPort)) }
            if let socket { try core.listenPlain(at: .unix(path: socket.path, mode: socket.mode)) }
        }
    }

    /// Starts to listen on 127.0.0.1 alone, in plain text. Every local program, and every page in a local browser, can
    /// call it: authenticate each request.
    ///
    /// - Parameter port: 0: any; see `loopbackPort`.
    package static func startPlain(
        port: UInt16,
        loop: EventLoop,
        limits: HTTPLimits = HTTPLimits(),
        application: any HTTPApplication
    ) async throws(TransportError) -> HTTPFront {
        try await start(loop, limits, application) { core throws(TransportError) in
            try core.listenPlain(at: .loopback(port: port))
        }
    }

    /// Starts to listen on a unix socket, in plain text.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes, where no file is; left there at the end.
    ///   - mode: of the socket's file: which users may connect.
    package static func startUnix(
        path: String,
        mode: UInt32,
        loop: EventLoop,
        limits: HTTPLimits = HTTPLimits(),
        application: any HTTPApplication
    ) async throws(TransportError) -> HTTPFront {
        try await start(loop, limits, application) { core throws(TransportError) in
            try core.listenPlain(at: .unix(path: path, mode: mode))
        }
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

    /// Open connections keep their certificate.
    package func replaceContext(_ context: TLSContext) async {
        let core = core
        await core.loop.run { core.value.replaceContext(context) }
    }

    /// Limits of connections apply to new ones only; the memory limit of bodies stays.
    package func replaceLimits(_ limits: HTTPLimits) async {
        let core = core
        await core.loop.run { core.value.replaceLimits(limits) }
    }

    /// Frees the ports, lets open requests end within the drain deadline (or ends at once), and returns when all
    /// connections have closed.
    package func close(gracefully: Bool = true) async {
        let core = core
        await withCheckedContinuation { continuation in
            core.loop.perform {
                core.value.close(gracefully: gracefully) { continuation.resume() }
            }
        }
    }

    package func bodyMemoryByteCount() async -> Int {
        let core = core
        return await core.loop.run { core.value.service.budget.byteCount }
    }

    package func connectionCount() async -> Int {
        let core = core
        return await core.loop.run { core.value.connectionCount }
    }
}
