import Glibc
import Transport

/// What a channel's owner hears. All calls come on the channel's loop.
protocol FaultChannelOwner: AnyObject {
    func channelDidOpen()
    func channelDidReceive(_ bytes: Span<UInt8>)
    /// Once, whoever ended it.
    func channelDidEnd()
}

/// A TCP connection with the server's side of TLS on it, that can end and go wrong in every way there is.
final class FaultChannel {
    private enum State {
        /// Not a byte of TLS is understood or said.
        case mute
        case handshaking, open
        /// Sends what is left, then the end, and waits for the client's.
        case ending
        case ended
    }

    /// How long a client may take to end its side.
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
    /// Until the channel has ended.
    private var owner: (any FaultChannelOwner)?
    /// Instead of the handshake, once the client's hello has come.
    private var onHello: (() -> Void)?

    init(_ descriptor: Int32, context: TLSContext, loop: EventLoop) throws(TransportError) {
        do throws(TLSError) { tls = try TLSSession(server: context) } catch { throw .tls(error) }
        self.descriptor = descriptor
        self.loop = loop
    }

    /// - Parameters:
    ///   - owner: kept until the channel has ended.
    ///   - onHello: called instead of the handshake when the client's first bytes have come; nil: shake hands.
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

    /// Whether what is written may reach the client.
    var isOpen: Bool { state == .open && !isBlackhole }

    // MARK: Writing

    /// Encrypts and sends. What comes after the end is dropped.
    func write(_ bytes: [UInt8]) {
        guard state == .open else { return }
        do throws(TLSError) { try tls.send(bytes.span) } catch { return finish() }
        flush()
    }

    /// Sends past TLS.
    func writeRaw(_ bytes: [UInt8]) {
        // Few bytes on a fresh socket: the system takes them.
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
        // A few times only: others wait, too.
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

    /// TLS's goodbye, and the end of the stream.
    func close() {
        guard state != .ended, state != .ending else { return }
        tls.close()
        end()
    }

    /// The end of the stream, without a goodbye.
    func cut() {
        guard state != .ended, state != .ending else { return }
        end()
    }

    /// A TCP reset.
    func reset() {
        guard state != .ended else { return }
        FaultSocket.resetsOnClose(descriptor)
        finish()
    }

    /// A fatal alert, encrypted, and the end of the stream: OpenSSL says one when it is given a record that is none.
    func alert() {
        guard state == .open else { return }
        let notARecord: [UInt8] = [23, 3, 3, 0, 17] + [UInt8](repeating: 0, count: 17)
        var nothing = ByteQueue()
        // It throws: that is what these bytes are for.
        try? tls.receive(notARecord.span, into: &nothing)
        end()
    }

    /// A record whose tag does not match, and the end of the stream.
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
        // A client has left whom nobody reads: it would be told in every turn.
        if readiness.contains(.over), isBlackhole || isDeaf { return finish() }
        if readiness.contains(.write) { flush() }
        if readiness.contains(.read) { read() }
    }

    func handleLoopStop() { finish() }
}
