private import Glibc

/// Accepts this machine's plain-text connections, on 127.0.0.1 or a unix socket. Lives on one loop.
package final class PlainListener {
    package enum Place {
        /// Port of 127.0.0.1; 0 lets the system choose.
        case loopback(port: UInt16)
        /// Path without a file, and the socket's mode.
        case unix(path: String, mode: UInt32)
    }

    /// 0 for a unix socket.
    package let port: UInt16
    private let loop: EventLoop
    private let limits: TLSChannelLimits
    private let admits: () -> Bool
    private let makeOwner: (PlainChannel) -> any ByteChannelOwner
    private var socket: Socket?
    private var watch: EventLoop.Watch?
    private var pause: LoopTimer?

    /// Starts to listen, and keeps itself alive until `close()` or the loop's end. On the loop.
    ///
    /// - Parameters:
    ///   - admits: False closes a new connection.
    package init(
        at place: Place,
        loop: EventLoop,
        limits: TLSChannelLimits,
        admits: @escaping () -> Bool,
        makeOwner: @escaping (PlainChannel) -> any ByteChannelOwner
    ) throws(TransportError) {
        loop.checkIsolated()
        guard !loop.isStopping else { throw .loopStopped }
        let address =
            switch place {
            case .loopback(let port): try SocketAddress.resolve(host: "127.0.0.1", port: port, isPassive: true)[0]
            case .unix(let path, _): try SocketAddress.unix(path)
            }
        let socket = try Socket(family: address.family)
        try socket.listen(at: address, backlog: 512)
        switch place {
        case .loopback: port = try socket.localPort()
        case .unix(let path, let mode):
            // It was made under the process's umask.
            guard unsafe chmod(path, mode) == 0 else { throw .system(call: "chmod", code: errno) }
            port = 0
        }
        self.loop = loop
        self.limits = limits
        self.admits = admits
        self.makeOwner = makeOwner
        watch = try loop.watch(socket.descriptor, for: .read, handler: self)
        self.socket = consume socket
    }

    package func close() {
        pause?.cancel()
        pause = nil
        if let watch { loop.unwatch(watch) }
        watch = nil
        socket = nil
    }

    private func accept(_ socket: consuming Socket) {
        guard admits() else { return }
        // Fails only if it cannot be watched; it is closed then.
        try? PlainChannel.accept(socket, loop: loop, limits: limits, makeOwner: makeOwner)
    }

    /// Every turn would report the waiting connection.
    private func pauseAccepting() {
        watchListener(for: [])
        pause = loop.schedule(after: .milliseconds(100)) { [weak self] in
            guard let self else { return }
            pause = nil
            watchListener(for: .read)
        }
    }

    private func watchListener(for readiness: Readiness) {
        guard let watch else { return }
        do throws(TransportError) {
            try loop.update(watch, for: readiness)
        } catch {
            close()
        }
    }
}

extension PlainListener: ReadinessHandler {
    package func handleReadiness(_ readiness: Readiness) {
        // Bounded, so as not to starve open connections.
        for _ in 0..<64 where watch != nil {
            switch socket?.accept() ?? .none {
            case .socket(let accepted): accept(accepted)
            case .none: return
            case .exhausted: return pauseAccepting()
            }
        }
    }

    package func handleLoopStop() { close() }
}
