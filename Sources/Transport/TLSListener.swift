/// Accepts TLS connections on one address and gives each a channel. Lives on one loop.
package final class TLSListener {
    /// In the host's byte order: the one asked for, or the one the system chose for port 0.
    package let port: UInt16
    package let loop: EventLoop

    private var socket: Socket?
    private var context: TLSContext
    /// Of each connection that comes from now on.
    package var limits: TLSChannelLimits
    /// Who comes when there are so many is closed at once; with fewer than there are, nobody is dropped.
    package var connectionCountMax: Int
    private let admits: ((String) -> Bool)?
    private let makesDescriptorFree: () -> Bool
    private let makeDelegate: (TLSChannel) -> any TLSChannelDelegate
    /// For tests: whether the next `accept` finds no descriptor left.
    var isExhausted: () -> Bool = { false }
    private var watch: EventLoop.Watch?
    private var pause: LoopTimer?
    package private(set) var connectionCount = 0

    /// Starts to listen, and keeps itself alive until `close()` or the loop's end. On the loop.
    ///
    /// - Parameters:
    ///   - address: an IPv4 or IPv6 literal, or "localhost".
    ///   - port: 0 lets the system choose.
    ///   - context: a server's.
    ///   - loop: where the connections live.
    ///   - limits: each connection's.
    ///   - connectionCountMax: who comes when there are so many is closed at once.
    ///   - admits: called with the address of whoever comes, without the port; who is not admitted is closed at once. Nil:
    ///     everybody is.
    ///   - makesDescriptorFree: called when there is none for the next connection; false where none can be freed, and the
    ///     connection waits outside for a moment.
    ///   - makeDelegate: called for each connection before its first byte is read.
    /// - Throws: `.addressInUse` with the port, among others.
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

    /// Accepts no more, and frees the port; connections that are open stay.
    package func close() {
        loop.checkIsolated()
        pause?.cancel()
        pause = nil
        if let watch { loop.unwatch(watch) }
        watch = nil
        socket = nil
    }

    /// Who comes from now on shakes hands with this one; connections that are open stay as they are.
    package func replaceContext(_ context: TLSContext) {
        loop.checkIsolated()
        self.context = context
    }

    private func accept(_ socket: consuming Socket) {
        // Closing tells the caller now; leaving it in the backlog would let it wait for its own deadline.
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
        // Fails only for a peer that is gone again.
        guard let address = try? socket.remoteAddress() else { return false }
        return admits(address.host)
    }

    /// Without descriptors, the waiting connection would be reported in every turn: the loop would spin.
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
        // A bound, so that a flood of callers does not starve those who are connected.
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
