import Networking

/// One of the two sockets that a latency proxy joins, with the bytes in transit to it. Lives on one loop.
final class LatencyEnd {
    private let loop: EventLoop
    private var socket: Socket?
    private var watch: EventLoop.Watch?
    private var watched: Readiness = []
    private var line: DelayLine
    private var timer: LoopTimer?
    private var isPeerDone = false
    private(set) var isDone = false
    /// Destination of the bytes read here; `close` breaks the cycle.
    private var other: LatencyEnd?
    /// Nil once called.
    private var onClosed: (() -> Void)?

    private init(_ socket: consuming Socket, _ line: consuming DelayLine, loop: EventLoop) {
        self.socket = consume socket
        self.line = line
        self.loop = loop
    }

    /// Joins two connected sockets until both are done, or one breaks.
    ///
    /// - Parameters:
    ///   - delay: Of each direction.
    ///   - byteCountMax: Maximum in transit in each direction.
    ///   - onClosed: Called on the loop, once.
    /// - Returns: One of the ends, for `close()`.
    static func join(
        _ first: consuming Socket,
        _ second: consuming Socket,
        delay: Duration,
        byteCountMax: Int,
        loop: EventLoop,
        onClosed: @escaping () -> Void
    ) throws(TransportError) -> LatencyEnd {
        let near = LatencyEnd(first, DelayLine(delay: delay, byteCountMax: byteCountMax), loop: loop)
        let far = LatencyEnd(second, DelayLine(delay: delay, byteCountMax: byteCountMax), loop: loop)
        do throws(TransportError) {
            try near.begin()
            try far.begin()
        } catch {
            near.close(withReset: true)
            far.close(withReset: true)
            throw error
        }
        near.other = far
        far.other = near
        near.onClosed = onClosed
        return near
    }

    private func begin() throws(TransportError) {
        guard let descriptor = socket?.descriptor else { return }
        watch = try loop.watch(descriptor, for: .read, handler: self)
        watched = .read
    }

    /// Ends both at once; no effect once they have ended.
    func close(withReset isReset: Bool = false) {
        let other = self.other
        self.other = nil
        timer?.cancel()
        timer = nil
        unwatch()
        if isReset { socket?.resetOnClose() }
        socket = nil
        let onClosed = self.onClosed
        self.onClosed = nil
        other?.close(withReset: isReset)
        onClosed?()
    }

    // MARK: In

    private func receive() {
        for _ in 0..<4 {
            guard let other, !isPeerDone, other.line.room > 0 else { break }
            let byteCountMax = min(other.line.room, ReadScratch.byteCount)
            let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: loop.scratch.ciphertext[..<byteCountMax])
            switch unsafe socket?.receive(into: buffer) ?? .wouldBlock {
            case .wouldBlock: return updateWatch()
            case .end: peerIsDone(.closed)
            case .failed: return didBreak()
            case .bytes(let count):
                let bytes = unsafe UnsafeRawBufferPointer(rebasing: loop.scratch.ciphertext[..<count])
                // A new reading of the clock: the turn's may be a little old, and no byte may arrive too early.
                other.line.append(unsafe bytes.assumingMemoryBound(to: UInt8.self).span, at: .now())
                other.planDelivery()
            }
        }
        updateWatch()
    }

    /// Ends this side after a fault. The end travels behind the earlier bytes; bytes in transit to this end are lost.
    private func didBreak() {
        unwatch()
        socket = nil
        peerIsDone(.reset)
    }

    private func peerIsDone(_ end: DelayLine.End) {
        isPeerDone = true
        other?.line.append(end, at: .now())
        other?.planDelivery()
    }

    // MARK: Out

    private func planDelivery() {
        guard timer == nil, let due = line.nextDue else { return }
        timer = loop.schedule(after: due - .now()) { [unowned self] in
            timer = nil
            deliver()
        }
    }

    private func deliver() {
        let now = loop.now
        var isBroken = false
        line.deliver(at: now) { bytes in
            var sent = 0
            while sent < bytes.count {
                switch socket?.send(bytes.extracting(sent..<bytes.count)) ?? .wouldBlock {
                case .bytes(let count): sent += count
                case .wouldBlock, .end: return sent
                case .failed:
                    isBroken = true
                    return sent
                }
            }
            return sent
        }
        if isBroken { return didBreak() }
        switch line.end(at: now) {
        case .reset: return close(withReset: true)
        case .closed where !isDone:
            isDone = true
            socket?.shutdownSending()
            if other?.isDone != false { return close() }
        default: break
        }
        updateWatch()
        // The other end may have room again.
        other?.updateWatch()
        if !isDone, !line.hasDueBytes { planDelivery() }
    }

    // MARK: Watching

    private func updateWatch() {
        guard let watch, let other else { return }
        var wanted: Readiness = []
        if !isPeerDone, other.line.room > 0 { wanted.insert(.read) }
        if line.hasDueBytes { wanted.insert(.write) }
        // A socket that is over in both directions would be reported in every turn.
        if isPeerDone, isDone { return unwatch() }
        guard wanted != watched else { return }
        do throws(TransportError) {
            try loop.update(watch, for: wanted)
            watched = wanted
        } catch {
            close(withReset: true)
        }
    }

    private func unwatch() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }
}

extension LatencyEnd: ReadinessHandler {
    func handleReadiness(_ readiness: Readiness) {
        // Broken while nothing is read or written here: it would be reported in every turn.
        if readiness.contains(.over), !watched.contains(.read) { return didBreak() }
        if readiness.contains(.write), watched.contains(.write) { deliver() }
        if readiness.contains(.read), watched.contains(.read) { receive() }
    }

    func handleLoopStop() {
        close()
    }
}
