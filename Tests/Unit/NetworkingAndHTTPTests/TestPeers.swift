import Glibc
import Platform
import TestSupport

@testable import Networking

/// A channel without HTTP/2: its events are collected, and can be awaited.
final class ChannelRecorder: TLSChannelDelegate {
    enum Event: Equatable, Sendable {
        case opened
        case received([UInt8])
        case writable
        case closed(TransportError?)
    }

    private let continuation: AsyncStream<Event>.Continuation
    private let onOpen: (TLSChannel) -> Void

    init(_ continuation: AsyncStream<Event>.Continuation, onOpen: @escaping (TLSChannel) -> Void = { _ in }) {
        self.continuation = continuation
        self.onOpen = onOpen
    }

    func channelDidOpen(_ channel: TLSChannel) {
        onOpen(channel)
        continuation.yield(.opened)
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        continuation.yield(.received(Array(copying: bytes)))
    }

    func channelIsWritable(_ channel: TLSChannel) {
        continuation.yield(.writable)
    }

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        continuation.yield(.closed(error))
        continuation.finish()
    }
}

/// Writes back what it reads, and stops reading while it cannot write.
final class Echo: TLSChannelDelegate {
    func channelDidOpen(_ channel: TLSChannel) {}

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        do throws(TransportError) {
            try channel.write(bytes)
        } catch {
            return channel.abort(error)
        }
        if !channel.isWritable { channel.pauseReading() }
    }

    func channelIsWritable(_ channel: TLSChannel) {
        channel.resumeReading()
    }

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {}
}

final class Deaf: TLSChannelDelegate {
    func channelDidOpen(_ channel: TLSChannel) { channel.pauseReading() }
    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {}
    func channelIsWritable(_ channel: TLSChannel) {}
    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {}
}

/// A channel on its loop, with its events as a stream.
struct RecordedChannel: Sendable {
    let channel: LoopBound<TLSChannel>
    let events: AsyncStream<ChannelRecorder.Event>

    static func connect(
        _ loopback: Loopback,
        to port: UInt16,
        host: String = "127.0.0.1",
        context: TLSContext? = nil,
        limits: TLSChannelLimits = ConformanceClient.patience,
        onOpen: @escaping @Sendable (TLSChannel) -> Void = { _ in }
    ) async throws -> RecordedChannel {
        let (events, continuation) = AsyncStream.makeStream(of: ChannelRecorder.Event.self)
        let loop = loopback.clientLoop
        let context = context ?? loopback.clientContext
        let result = await loop.run {
            Result { () throws(TransportError) in
                LoopBound(
                    try TLSChannel.connect(
                        host: host,
                        port: port,
                        context: context,
                        loop: loop,
                        limits: limits,
                        delegate: ChannelRecorder(continuation, onOpen: onOpen)
                    ),
                    to: loop
                )
            }
        }
        return RecordedChannel(channel: try result.get(), events: events)
    }

    /// The last event's error, and all plaintext before it.
    func untilClosed() async -> (bytes: [UInt8], error: TransportError?) {
        var bytes: [UInt8] = []
        for await event in events {
            switch event {
            case .received(let piece): bytes += piece
            case .closed(let error): return (bytes, error)
            case .opened, .writable: break
            }
        }
        return (bytes, .connectionLost)
    }
}

/// A TCP client that has begun to connect and goes no further.
final class StartedClient {
    private let socket: Socket

    init(to port: UInt16) throws {
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
        let socket = try Socket(family: address.family)
        _ = try socket.connect(to: address)
        self.socket = socket
    }

    /// Starts more connections than a queue without a backlog holds: a later one gets no answer, not even a refusal.
    static func fill(_ port: HeldPort) throws -> [StartedClient] {
        let callers = try (0..<4).map { _ in try StartedClient(to: port.number) }
        var polled = callers.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLOUT), revents: 0) }
        // Until one of them is accepted there is room for the next.
        while unsafe poll(&polled, nfds_t(polled.count), -1) < 1 {}
        return callers
    }
}

final class PlainClient {
    private let descriptor: Int32

    static func connect(to port: UInt16) -> PlainClient? {
        // Nil: there was no address or no connection.
        guard let address = try? SocketAddress.resolve(host: "127.0.0.1", port: port).first else { return nil }
        let client = PlainClient(
            descriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        )
        let code = unsafe address.withPointer { pointer, byteCount in
            unsafe Glibc.connect(client.descriptor, pointer, byteCount)
        }
        guard code == 0 else { return nil }
        return client
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    func send(_ bytes: [UInt8]) {
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Reads until the server ends the connection, in order or by a reset.
    func receiveAll() -> [UInt8] {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return received }
            received += buffer[..<count]
        }
    }
}

/// A value that is set once and can be awaited.
final class Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    }

    func send(_ value: Value) {
        continuation.yield(value)
    }

    /// The next value; one waiter at a time.
    func next() async -> Value? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
    }
}
