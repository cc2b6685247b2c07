/// Accepted plain-text TCP connection from this machine. Lives on one loop.
package final class PlainChannel: ByteChannel {
    private enum State { case open, closing, closed }

    package let loop: EventLoop
    private let limits: TLSChannelLimits
    private var owner: (any ByteChannelOwner)?
    private var state = State.open
    private var socket: Socket?
    private var watch: EventLoop.Watch?
    private var watched: Readiness = .read
    private var unsent = ByteQueue()
    private var closeTimer: LoopTimer?
    private var isTurnEndPlanned = false
    private var wantsWritable = false
    private var isReadingPaused = false

    /// Takes over a connected socket. On the loop.
    static func accept(
        _ socket: consuming Socket,
        loop: EventLoop,
        limits: TLSChannelLimits,
        makeOwner: (PlainChannel) -> any ByteChannelOwner
    ) throws(TransportError) {
        let channel = PlainChannel(loop: loop, limits: limits)
        channel.watch = try loop.watch(socket.descriptor, for: .read, handler: channel)
        socket.noticeDeath(after: limits.unacknowledgedDeadline)
        channel.socket = consume socket
        channel.owner = makeOwner(channel)
    }

    private init(loop: EventLoop, limits: TLSChannelLimits) {
        self.loop = loop
        self.limits = limits
    }

    // MARK: Writing

    package var unsentByteCount: Int { unsent.byteCount }

    package var isWritable: Bool {
        guard state == .open else { return false }
        let hasRoom = unsent.byteCount < limits.sendQueueByteCountHigh
        if !hasRoom { wantsWritable = true }
        return hasRoom
    }

    /// Drops the bytes unless open.
    package func write(_ bytes: Span<UInt8>) throws(TransportError) {
        guard state == .open else { return }
        guard unsent.byteCount + bytes.count <= limits.sendQueueByteCountMax else {
            throw .sendQueueFull(byteCountMax: limits.sendQueueByteCountMax)
        }
        unsent.append(bytes)
        planFlush()
    }

    private func planFlush() {
        guard !isTurnEndPlanned, state != .closed else { return }
        isTurnEndPlanned = true
        loop.atTurnEnd(self)
    }

    private func flush() {
        while !unsent.isEmpty, state != .closed {
            switch unsent.withBytes({ bytes in socket?.send(bytes) ?? .wouldBlock }) {
            case .bytes(let count): unsent.removeFirst(count)
            case .failed, .end: return finish()
            case .wouldBlock: return updateWatch()
            }
        }
        updateWatch()
        if state == .closing { socket?.shutdownSending() }
        if wantsWritable, state == .open {
            wantsWritable = false
            owner?.channelIsWritable()
        }
    }

    private func updateWatch() {
        guard let watch else { return }
        var wanted: Readiness = isReadingPaused && state == .open ? [] : .read
        if !unsent.isEmpty { wanted.insert(.write) }
        guard wanted != watched else { return }
        do throws(TransportError) {
            try loop.update(watch, for: wanted)
            watched = wanted
        } catch {
            finish()
        }
    }

    // MARK: Reading

    package func pauseReading() {
        isReadingPaused = true
        updateWatch()
    }

    package func resumeReading() {
        isReadingPaused = false
        updateWatch()
    }

    private func read() {
        guard state != .closed, state != .open || !isReadingPaused else { return }
        switch unsafe socket?.receive(into: loop.scratch.ciphertext) ?? .wouldBlock {
        case .wouldBlock: return
        case .failed, .end: finish()
        case .bytes(let count):
            // A closing channel waits only for the end of the peer's bytes.
            guard state == .open else { return }
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: loop.scratch.ciphertext[..<count])
            owner?.channelDidReceive(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
        }
    }

    // MARK: Ending

    package func close() {
        guard state == .open else { return }
        state = .closing
        closeTimer = loop.schedule(after: limits.closeDeadline) { [weak self] in
            guard let self else { return }
            closeTimer = nil
            finish()
        }
        flush()
    }

    package func abort(_ error: TransportError, resets: Bool) {
        if resets { socket?.resetOnClose() }
        finish()
    }

    private func finish() {
        guard state != .closed else { return }
        state = .closed
        closeTimer?.cancel()
        closeTimer = nil
        if let watch { loop.unwatch(watch) }
        watch = nil
        socket = nil
        guard let owner else { return }
        self.owner = nil
        let box = LoopBound(owner, to: loop)
        loop.perform { box.value.channelDidClose() }
    }
}

extension PlainChannel: ReadinessHandler, TurnEndHandler {
    package func handleReadiness(_ readiness: Readiness) {
        // Not read, it would be reported every turn.
        if readiness.contains(.over), isReadingPaused, state == .open { return finish() }
        if readiness.contains(.write), !unsent.isEmpty { flush() }
        if readiness.contains(.read) { read() }
    }

    package func handleLoopStop() { finish() }

    package func handleTurnEnd() {
        isTurnEndPlanned = false
        flush()
    }
}
