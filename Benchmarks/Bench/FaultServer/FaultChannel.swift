import Glibc
import Networking

/// A channel's owner. All calls come on the channel's loop.
protocol FaultChannelOwner: AnyObject {
    func channelDidOpen()
    func channelDidReceive(_ bytes: Span<UInt8>)
    /// Called once, whichever side ended it.
    func channelDidEnd()
}

/// A TCP connection with the server's side of TLS, with every kind of ending and fault.
final class FaultChannel {
    private enum State {
        /// No TLS is read or written.
        case mute
        case handshaking, open
        /// Sends the rest, then the end, and waits for the client's.
        case ending
        case ended
    }

    /// Time for a client to end its side.
    private static let endDeadline = Duration.seconds(1)

    let loop: EventLoop
    private let descriptor: Int32
    private var watch: EventLoop.Watch?
    private var tls: TLSSession
    private var state = State.mute
    private var isDeaf = false
    private var isBlackhole = false
    private var hasReceived = false
    private var buffer = [UInt8](repeating: 0, count: 1 << 14)
    private var plaintext = ByteQueue()
    private var endTimer: LoopTimer?
    /// Kept until the channel has ended.
    private var owner: (any FaultChannelOwner)?
    /// Replaces the handshake, once the client's hello has come.
    private var onHello: (() -> Void)?

    init(_ descriptor: Int32, context: TLSContext, loop: EventLoop) throws(TransportError) {
        do throws(TLSError) { tls = try TLSSession(server: context) } catch { throw .tls(error) }
        self.descriptor = descriptor
        self.loop = loop
    }

    /// - Parameters:
    ///   - owner: Kept until the channel has ended.
    ///   - onHello: Called instead of the handshake when the client's first bytes have come; nil shakes hands.
    func start(_ owner: any FaultChannelOwner, onHello: (() -> Void)? = nil) {
        self.owner = owner
        self.onHello = onHello
        state = onHello == nil ? .handshaking : .mute
        do throws(TransportError) {
            watch = try loop.watch(descriptor, for: .read, handler: self)
        } catch {
            finish()
        }
    }

    var isOpen: Bool { state == .open && !isBlackhole }

    // MARK: Writing

    /// Encrypts and sends; dropped after the end.
    func write(_ bytes: [UInt8]) {
        guard state == .open else { return }
        do throws(TLSError) { try tls.send(bytes.span) } catch { return finish() }
        flush()
    }

    func writeRaw(_ bytes: [UInt8]) {
        // Few bytes on a fresh socket, which the system takes.
        _ = FaultSocket.send(descriptor, bytes.span)
    }

    private func flush() {
        guard state != .ended, !isBlackhole else { return }
        while tls.ciphertextByteCount > 0 {
            switch tls.withCiphertext({ FaultSocket.send(descriptor, $0) }) {
            case .bytes(let count): tls.removeCiphertext(count)
            case .wouldBlock: return updateWatch()
            case .over: return finish()
            }
        }
        if state == .ending { shutdown(descriptor, Int32(SHUT_WR)) }
        updateWatch()
    }

    private func updateWatch() {
        guard let watch else { return }
        var wanted: Readiness = []
        if !isDeaf || state == .ending { wanted.insert(.read) }
        if tls.ciphertextByteCount > 0 { wanted.insert(.write) }
        if isBlackhole { wanted = [] }
        do throws(TransportError) { try loop.update(watch, for: wanted) } catch { finish() }
    }

    // MARK: Reading

    private func read() {
        // Bounded, as other connections wait.
        for _ in 0..<8 where state != .ended && !isBlackhole && (!isDeaf || state == .ending) {
            switch FaultSocket.receive(descriptor, into: &buffer) {
            case .wouldBlock: return
            case .over: return finish()
            case .bytes(let count): didReceive(count)
            }
        }
    }

    private func didReceive(_ byteCount: Int) {
        switch state {
        case .mute:
            if !hasReceived {
                hasReceived = true
                onHello?()
            }
        case .handshaking, .open: decrypt(byteCount)
        case .ending, .ended: break
        }
    }

    private func decrypt(_ byteCount: Int) {
        var hasFailed = false
        do throws(TLSError) {
            try tls.receive(buffer.span.extracting(0..<byteCount), into: &plaintext)
        } catch {
            hasFailed = true
        }
        flush()
        if state == .handshaking, tls.isHandshakeDone {
            state = .open
            owner?.channelDidOpen()
        }
        if !plaintext.isEmpty {
            if state == .open { plaintext.withBytes { owner?.channelDidReceive($0) } }
            plaintext.removeAll()
        }
        if hasFailed || (tls.isPeerDone && state == .open) { close() }
    }

    // MARK: Faults

    func setDeaf(_ isDeaf: Bool) {
        guard state != .ended else { return }
        self.isDeaf = isDeaf
        updateWatch()
    }

    func turnIntoBlackhole() {
        guard state != .ended else { return }
        isBlackhole = true
        updateWatch()
    }

    /// Sends close_notify and the end of the stream.
    func close() {
        guard state != .ended, state != .ending else { return }
        tls.close()
        end()
    }

    /// Sends the end of the stream without close_notify.
    func cut() {
        guard state != .ended, state != .ending else { return }
        end()
    }

    func reset() {
        guard state != .ended else { return }
        FaultSocket.resetsOnClose(descriptor)
        finish()
    }

    /// Sends an encrypted fatal alert and the end of the stream: OpenSSL makes one when it reads an invalid record.
    func alert() {
        guard state == .open else { return }
        let notARecord: [UInt8] = [23, 3, 3, 0, 17] + [UInt8](repeating: 0, count: 17)
        var nothing = ByteQueue()
        // Throws, as intended with these bytes.
        try? tls.receive(notARecord.span, into: &nothing)
        end()
    }

    /// Sends a record with a wrong tag, and the end of the stream.
    func corruptRecord() {
        guard state == .open else { return }
        writeRaw([23, 3, 3, 0, 32] + [UInt8](repeating: 0xAA, count: 32))
        end()
    }

    private func end() {
        state = .ending
        isDeaf = false
        endTimer = loop.schedule(after: Self.endDeadline) { [weak self] in self?.finish() }
        flush()
    }

    private func finish() {
        guard state != .ended else { return }
        state = .ended
        endTimer?.cancel()
        if let watch { loop.unwatch(watch) }
        watch = nil
        Glibc.close(descriptor)
        let owner = self.owner
        self.owner = nil
        onHello = nil
        owner?.channelDidEnd()
    }
}

extension FaultChannel: ReadinessHandler {
    func handleReadiness(_ readiness: Readiness) {
        // A client that left while nothing is read: the event would come in every turn.
        if readiness.contains(.over), isBlackhole || isDeaf { return finish() }
        if readiness.contains(.write) { flush() }
        if readiness.contains(.read) { read() }
    }

    func handleLoopStop() { finish() }
}
