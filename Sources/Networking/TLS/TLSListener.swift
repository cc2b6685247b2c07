/// Accepts TLS connections on one address, each with a channel. Lives on one loop.
package final class TLSListener {
    /// In host byte order: the port asked for, or the system's choice for 0.
    package let port: UInt16
    package let loop: EventLoop

    private var socket: Socket?
    private var context: TLSContext
    /// For new connections.
    package var limits: TLSChannelLimits
    /// Connections beyond this limit are closed on accept. Lowering it drops none.
    package var connectionCountMax: Int
    private let admits: ((String) -> Bool)?
    private let makesDescriptorFree: () -> Bool
    private let makeDelegate: (TLSChannel) -> any TLSChannelDelegate
    /// For tests: simulates a lack of descriptors.
    var isExhausted: () -> Bool = { false }
    private var watch: EventLoop.Watch?
    private var pause: LoopTimer?
    package private(set) var connectionCount = 0

    /// Starts to listen, and keeps itself alive until `close()` or the loop's end. On the loop.
    ///
    /// - Parameters:
    ///   - address: IPv4 or IPv6 literal, or "localhost".
    ///   - admits: Called with a client's address, without the port; false closes the connection.
    ///   - makesDescriptorFree: Called without a descriptor for the next connection; false leaves it waiting.
    ///   - makeDelegate: Called for each connection before its first byte is read.
    package init(
        address: String,
        port: UInt16,
        context: TLSContext,
        loop: EventLoop,
        limits: TLSChannelLimits = TLSChannelLimits(),
        connectionCountMax: Int = 1024,
        admits: ((String) -> Bool)? = nil,
        makesDescriptorFree: @escaping () -> Bool = { false },
        makeDelegate: @escaping (TLSChannel) -> any TLSChannelDelegate
    ) throws(TransportError) {
        loop.checkIsolated()
        guard !loop.isStopping else { throw .loopStopped }
        let addresses = try SocketAddress.resolve(host: address, port: port, isPassive: true)
        let socket = try Socket(family: addresses[0].family)
        try socket.listen(at: addresses[0], backlog: 512)
        let boundPort = try socket.localPort()
        self.port = boundPort
        self.loop = loop
        self.context = context
        self.limits = limits
        self.connectionCountMax = connectionCountMax
        self.admits = admits
        self.makesDescriptorFree = makesDescriptorFree
        self.makeDelegate = makeDelegate
        watch = try loop.watch(socket.descriptor, for: .read, handler: self)
        self.socket = consume socket
    }

    /// Frees the port; open connections stay.
    package func close() {
        loop.checkIsolated()
        pause?.cancel()
        pause = nil
        if let watch { loop.unwatch(watch) }
        watch = nil
        socket = nil
    }

    /// Open connections keep their context.
    package func replaceContext(_ context: TLSContext) {
        loop.checkIsolated()
        self.context = context
    }

    private func accept(_ socket: consuming Socket) {
        // A close tells the client now; in the backlog it would wait for its deadline.
        guard connectionCount < connectionCountMax, isAdmitted(socket) else { return }
        connectionCount += 1
        do throws(TransportError) {
            try TLSChannel.accept(
                socket,
                context: context,
                loop: loop,
                limits: limits,
                makeDelegate: makeDelegate
            ) { [self] in connectionCount -= 1 }
        } catch {
            connectionCount -= 1
        }
    }

    private func isAdmitted(_ socket: borrowing Socket) -> Bool {
        guard let admits else { return true }
        guard let address = try? socket.remoteAddress() else { return false }
        return admits(address.host)
    }

    /// Every turn would report the waiting connection.
    private func pauseAccepting() {
        guard let watch else { return }
        do throws(TransportError) {
            try loop.update(watch, for: [])
        } catch {
            return close()
        }
        pause = loop.schedule(after: .milliseconds(100)) { [unowned self] in
            pause = nil
            do throws(TransportError) {
                try loop.update(watch, for: .read)
            } catch {
                close()
            }
        }
    }
}

extension TLSListener: ReadinessHandler {
    package func handleReadiness(_ readiness: Readiness) {
        // Bounded, so as not to starve open connections.
        for _ in 0..<64 where watch != nil {
            guard !isExhausted() else { return pauseAccepting() }
            switch socket?.accept() ?? .none {
            case .socket(let socket): accept(socket)
            case .none: return
            case .exhausted: if !makesDescriptorFree() { return pauseAccepting() }
            }
        }
    }

    package func handleLoopStop() {
        close()
    }
}
