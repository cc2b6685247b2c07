/// TCP connection with TLS over it. Lives on one loop.
package final class TLSChannel {
    private enum State {
        case new, connecting, handshaking, open, closing, closed
    }

    package let loop: EventLoop
    private let limits: TLSChannelLimits
    private var delegate: (any TLSChannelDelegate)?
    private let onClosed: (() -> Void)?
    private var state = State.new

    private var connector: RouteConnector?
    private var socket: Socket?
    private var watch: EventLoop.Watch?
    private var watched: Readiness = []
    private(set) var peer: SocketAddress?
    private(set) var tls: TLSSession
    private var timer: LoopTimer?
    private var lastActivity: MonotonicTime
    private var isTurnEndPlanned = false
    private var wantsWritable = false
    private var isReadingPaused = false
    private var sendFailure: TransportError?

    private init(
        tls: consuming TLSSession,
        loop: EventLoop,
        limits: TLSChannelLimits,
        onClosed: (() -> Void)?
    ) {
        self.tls = tls
        self.loop = loop
        self.limits = limits
        self.onClosed = onClosed
        lastActivity = loop.now
    }

    // MARK: Beginning

    /// Connects to the first address of `host` that answers. On the loop.
    ///
    /// - Parameters:
    ///   - host: Name or address that the server's certificate must carry.
    ///   - delegate: Kept until the channel has closed; gets the result.
    /// - Throws: Errors that are known at once.
    package static func connect(
        host: String,
        port: UInt16,
        context: TLSContext,
        loop: EventLoop,
        limits: TLSChannelLimits = TLSChannelLimits(),
        delegate: any TLSChannelDelegate
    ) throws(TransportError) -> TLSChannel {
        loop.checkIsolated()
        guard !loop.isStopping else { throw .loopStopped }
        let tls: TLSSession
        do throws(TLSError) {
            tls = try TLSSession(client: context, hostName: host, port: port)
        } catch {
            throw .tls(error)
        }
        let channel = TLSChannel(tls: tls, loop: loop, limits: limits, onClosed: nil)
        try channel.connect(host, port)
        channel.delegate = delegate
        return channel
    }

    static func accept(
        _ socket: consuming Socket,
        context: TLSContext,
        loop: EventLoop,
        limits: TLSChannelLimits,
        makeDelegate: (TLSChannel) -> any TLSChannelDelegate,
        onClosed: @escaping () -> Void
    ) throws(TransportError) {
        let tls: TLSSession
        do throws(TLSError) {
            tls = try TLSSession(server: context)
        } catch {
            throw .tls(error)
        }
        let channel = TLSChannel(tls: tls, loop: loop, limits: limits, onClosed: onClosed)
        try channel.adopt(socket)
        channel.delegate = makeDelegate(channel)
        channel.beginHandshake()
    }

    private func connect(_ host: String, _ port: UInt16) throws(TransportError) {
        let connector = try RouteConnector(limits.route, host: host, port: port, loop: loop) { [self] result in
            didConnect(result)
        }
        state = .connecting
        self.connector = connector
        startTimer(limits.connectDeadline) { .deadlineExceeded(connector.phase) }
        connector.connect()
    }

    private func didConnect(_ result: consuming Result<Socket, TransportError>) {
        connector = nil
        do throws(TransportError) {
            try adopt(result.get())
        } catch {
            return finish(error)
        }
        beginHandshake()
    }

    private func adopt(_ socket: consuming Socket) throws(TransportError) {
        watch = try loop.watch(socket.descriptor, for: .read, handler: self)
        watched = .read
        socket.noticeDeath(after: limits.unacknowledgedDeadline)
        // Fails only if the peer is gone again; the first read then reports it.
        peer = try? socket.remoteAddress()
        self.socket = consume socket
    }

    private func beginHandshake() {
        state = .handshaking
        updateWatch()
        startTimer(limits.handshakeDeadline) { .deadlineExceeded(.handshake) }
        do throws(TLSError) {
            try tls.handshake()
            planFlush()
        } catch {
            finish(.tls(error))
        }
    }

    private func didOpen() {
        state = .open
        timer?.cancel()
        timer = nil
        watchIdleness()
        delegate?.channelDidOpen(self)
    }

    // MARK: Writing

    /// True while there is room to write. After false, the delegate gets `channelIsWritable`.
    package var isWritable: Bool {
        guard state == .open else { return false }
        let hasRoom = tls.ciphertextByteCount < limits.sendQueueByteCountHigh
        if !hasRoom { wantsWritable = true }
        return hasRoom
    }

    /// Encrypts and queues `bytes` until the turn's end. Only once open; dropped when closing or closed.
    package func write(_ bytes: Span<UInt8>) throws(TransportError) {
        loop.checkIsolated()
        precondition(state != .new && state != .connecting && state != .handshaking, "written before it was open")
        guard state == .open else { return }
        guard tls.ciphertextByteCount + bytes.count <= limits.sendQueueByteCountMax else {
            throw .sendQueueFull(byteCountMax: limits.sendQueueByteCountMax)
        }
        do throws(TLSError) {
            try tls.send(bytes)
        } catch {
            finish(.tls(error))
            return
        }
        planFlush()
    }

    package func write(_ bytes: [UInt8]) throws(TransportError) {
        try write(bytes.span)
    }

    package func flush() {
        guard state != .closed, sendFailure == nil else { return }
        if let error = sendQueued() { return didFailToSend(error) }
        let isDone = tls.ciphertextByteCount == 0
        updateWatch()
        if isDone, state == .closing { socket?.shutdownSending() }
        if wantsWritable, state == .open, tls.ciphertextByteCount < limits.sendQueueByteCountHigh / 2 {
            wantsWritable = false
            delegate?.channelIsWritable(self)
        }
    }

    /// Reads once more: the peer may have sent an alert or a GOAWAY before.
    private func didFailToSend(_ error: TransportError) {
        sendFailure = error
        if state != .closing { read() }
        finish(error)
    }

    /// Makes the peer wait; its bytes fill TCP's own buffers.
    package func pauseReading() {
        isReadingPaused = true
        updateWatch()
    }

    package func resumeReading() {
        isReadingPaused = false
        updateWatch()
    }

    private func planFlush() {
        guard !isTurnEndPlanned, state != .closed else { return }
        isTurnEndPlanned = true
        loop.atTurnEnd(self)
    }

    private func sendQueued() -> TransportError? {
        guard socket != nil else { return nil }
        while tls.ciphertextByteCount > 0 {
            let transfer = tls.withCiphertext { bytes in socket?.send(bytes) ?? .wouldBlock }
            switch transfer {
            case .bytes(let count):
                tls.removeCiphertext(count)
                lastActivity = loop.now
            case .failed(let error): return error
            case .wouldBlock, .end: return nil
            }
        }
        return nil
    }

    private func updateWatch() {
        guard let watch else { return }
        var wanted: Readiness = []
        switch state {
        case .handshaking, .open, .closing:
            if !isReadingPaused || state != .open { wanted.insert(.read) }
            if tls.ciphertextByteCount > 0 { wanted.insert(.write) }
        case .new, .connecting, .closed: return
        }
        guard wanted != watched else { return }
        do throws(TransportError) {
            try loop.update(watch, for: wanted)
            watched = wanted
        } catch {
            finish(error)
        }
    }

    // MARK: Reading

    /// Keeps a busy peer from monopolizing the loop.
    private static let readCountPerTurn = 4

    private func read() {
        for _ in 0..<Self.readCountPerTurn {
            guard state == .handshaking || state == .open || state == .closing else { return }
            guard state != .open || !isReadingPaused else { return }
            let transfer = unsafe socket?.receive(into: loop.scratch.ciphertext) ?? .wouldBlock
            switch transfer {
            case .wouldBlock: return
            case .failed(let error): return state == .closing ? finishClosing(error) : finish(error)
            case .end: return didReceiveEnd()
            case .bytes(let count):
                lastActivity = loop.now
                didReceive(count)
                // A short read emptied the socket; another would only cost a system call.
                guard count == ReadScratch.byteCount else { return }
            }
        }
    }

    private func didReceive(_ byteCount: Int) {
        // A closing channel waits only for the end of the peer's bytes.
        guard state != .closing else { return }
        var failure: TLSError?
        do throws(TLSError) {
            let ciphertext = unsafe UnsafeRawBufferPointer(rebasing: loop.scratch.ciphertext[..<byteCount])
            try tls.receive(unsafe ciphertext.assumingMemoryBound(to: UInt8.self).span, into: &loop.scratch.plaintext)
        } catch {
            failure = error
        }
        if tls.ciphertextByteCount > 0 { planFlush() }
        if state == .handshaking, tls.isHandshakeDone { didOpen() }
        // Bytes before the bad record still count.
        if !loop.scratch.plaintext.isEmpty {
            if state == .open {
                loop.scratch.plaintext.withBytes { bytes in delegate?.channel(self, didReceive: bytes) }
            }
            loop.scratch.plaintext.removeAll()
        }
        if let failure { return finish(.tls(failure)) }
        if tls.isPeerDone, state == .open { close() }
    }

    private func didReceiveEnd() {
        if let sendFailure { return finish(sendFailure) }
        switch state {
        case .closing: finishClosing(.connectionLost)
        // After close_notify the state would be `closing`.
        case .open: finish(.connectionLost)
        default: finish(.tls(.truncated))
        }
    }

    // MARK: Ending

    /// Sends the queue and close_notify, then waits briefly for the peer's. Repeatable.
    package func close() {
        loop.checkIsolated()
        switch state {
        case .closing, .closed: return
        case .new, .connecting, .handshaking: finish(.connectionClosed)
        case .open:
            tls.close()
            state = .closing
            startTimer(limits.closeDeadline) { .deadlineExceeded(.close) }
            flush()
        }
    }

    /// Ends at once, optionally with a TCP reset; the delegate gets `error`.
    package func abort(_ error: TransportError, resets: Bool = false) {
        loop.checkIsolated()
        if resets { socket?.resetOnClose() }
        finish(error)
    }

    /// Without the peer's close_notify, an error only if unsent bytes remain.
    private func finishClosing(_ error: TransportError) {
        finish(tls.ciphertextByteCount == 0 ? nil : error)
    }

    private func finish(_ error: TransportError?) {
        guard state != .closed else { return }
        // An alert for the peer may still wait; it is lost if it cannot leave now.
        _ = sendQueued()
        state = .closed
        timer?.cancel()
        timer = nil
        connector?.cancel()
        connector = nil
        if let watch { loop.unwatch(watch) }
        watch = nil
        socket = nil
        let delegate = self.delegate
        self.delegate = nil
        // The owner's current call must not find the channel half closed.
        let box = LoopBound((self, delegate), to: loop)
        loop.perform {
            let (channel, delegate) = box.value
            delegate?.channelDidClose(channel, error)
            channel.onClosed?()
        }
    }

    // MARK: Time

    private func startTimer(_ delay: Duration, _ error: @escaping () -> TransportError) {
        timer?.cancel()
        timer = loop.schedule(after: delay) { [unowned self] in
            timer = nil
            // Silence during a hold-up of the loop is not the peer's fault.
            if loop.now < loop.judgesFrom { return startTimer(loop.judgesFrom - .now(), error) }
            if state == .closing { finishClosing(error()) } else { finish(error()) }
        }
    }

    /// One timer, moved when it fires: moving it at every byte would cost more.
    private func watchIdleness() {
        guard let idleDeadline = limits.idleDeadline else { return }
        let rest = idleDeadline - (loop.now - lastActivity)
        guard rest > .zero else { return finish(.deadlineExceeded(.idle)) }
        timer = loop.schedule(after: rest) { [unowned self] in
            timer = nil
            if state == .open { watchIdleness() }
        }
    }
}

extension TLSChannel: ReadinessHandler, TurnEndHandler {
    package func handleReadiness(_ readiness: Readiness) {
        // Not read, it would be reported every turn.
        if readiness.contains(.over), isReadingPaused, state == .open { return finish(.connectionLost) }
        if readiness.contains(.write), tls.ciphertextByteCount > 0 { flush() }
        if readiness.contains(.read) { read() }
    }

    package func handleLoopStop() {
        finish(.loopStopped)
    }

    package func handleTurnEnd() {
        isTurnEndPlanned = false
        flush()
    }
}
