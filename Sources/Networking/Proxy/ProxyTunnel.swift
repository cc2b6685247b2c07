/// Negotiates with a proxy and returns the socket. Lives on one loop; the owner sets the deadline.
final class ProxyTunnel {
    private let loop: EventLoop
    private var negotiation: ProxyNegotiation
    private var socket: Socket?
    private var watch: EventLoop.Watch?
    private var outgoing = ByteQueue()
    /// Called on the loop, once; nil after its call or `cancel`.
    private var completion: ((consuming Result<Socket, TransportError>) -> Void)?

    init(
        _ negotiation: ProxyNegotiation,
        loop: EventLoop,
        completion: @escaping (consuming Result<Socket, TransportError>) -> Void
    ) {
        self.negotiation = negotiation
        self.loop = loop
        self.completion = completion
    }

    func begin(over socket: consuming Socket) {
        do throws(TransportError) {
            watch = try loop.watch(socket.descriptor, for: .read, handler: self)
            self.socket = consume socket
            try send(negotiation.opening())
        } catch {
            complete(.failure(error))
        }
    }

    func cancel() {
        completion = nil
        unwatch()
        socket = nil
    }

    private func send(_ bytes: [UInt8]) throws(TransportError) {
        outgoing.append(bytes.span)
        try flush()
    }

    private func flush() throws(TransportError) {
        sending: while !outgoing.isEmpty {
            switch outgoing.withBytes({ bytes in socket?.send(bytes) ?? .wouldBlock }) {
            case .bytes(let count): outgoing.removeFirst(count)
            case .failed(let error): throw .proxy(.unreachable(error))
            case .wouldBlock, .end: break sending
            }
        }
        if let watch { try loop.update(watch, for: outgoing.isEmpty ? .read : [.read, .write]) }
    }

    /// Reads once a turn: replies are short.
    private func receive() throws(TransportError) {
        let transfer = unsafe socket?.receive(into: loop.scratch.ciphertext) ?? .wouldBlock
        switch transfer {
        case .wouldBlock: return
        case .failed(let error): throw .proxy(.unreachable(error))
        case .end: throw .proxy(.closed)
        case .bytes(let count): try didReceive(count)
        }
    }

    private func didReceive(_ byteCount: Int) throws(TransportError) {
        let step: ProxyNegotiation.Step
        do throws(ProxyError) {
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: loop.scratch.ciphertext[..<byteCount])
            step = try negotiation.receive(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
        } catch {
            throw .proxy(error)
        }
        switch step {
        case .wait: return
        case .send(let bytes): try send(bytes)
        case .open:
            // A reply before the whole request, whose rest would end up inside TLS.
            guard outgoing.isEmpty else { throw .proxy(.replyMalformed) }
            unwatch()
            if let socket = socket.take() { complete(.success(socket)) }
        }
    }

    private func complete(_ result: consuming Result<Socket, TransportError>) {
        let completion = self.completion
        cancel()
        completion?(result)
    }

    private func unwatch() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }
}

extension ProxyTunnel: ReadinessHandler {
    func handleReadiness(_ readiness: Readiness) {
        do throws(TransportError) {
            if readiness.contains(.read) { try receive() }
            if readiness.contains(.write), watch != nil { try flush() }
        } catch {
            complete(.failure(error))
        }
    }

    func handleLoopStop() {
        complete(.failure(.loopStopped))
    }
}
