import Glibc
import Platform
import TestSupport
import Testing

@testable import Networking

@Suite struct TCPConnectorTests {
    /// A resolver in which each port of the list stands for one address of a host.
    private func resolver(_ ports: [UInt16]) -> Resolver {
        Resolver(threadCountMax: 1) { (_, _) throws(TransportError) in
            try ports.map { (port) throws(TransportError) in
                try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
            }
        }
    }

    private func connect(_ ports: [UInt16], _ route: TCPRoute) async throws -> UInt16 {
        let loop = try EventLoop()
        defer { loop.stop() }
        var route = route
        route.resolver = resolver(ports)
        let outcome: Result<UInt16, TransportError> = await withCheckedContinuation { continuation in
            loop.perform { [route] in
                let connector = TCPConnector(loop: loop, route: route)
                connector.connect(host: "host.example", port: 1) { result in
                    switch consume result {
                    case .success(let socket):
                        continuation.resume(
                            returning: Result { () throws(TransportError) in try socket.remoteAddress().port }
                        )
                    case .failure(let error): continuation.resume(returning: .failure(error))
                    }
                }
            }
        }
        return try outcome.get()
    }

    @Test func `an address that refuses is followed by the next at once`() async throws {
        let (deaf, good) = (try HeldPort.deaf(), try HeldPort.silent())
        var route = TCPRoute()
        route.attemptDelay = .seconds(3600)
        #expect(try await connect([deaf.number, good.number], route) == good.number)
    }

    @Test func `an address that says nothing is overtaken`() async throws {
        let (busy, good) = (try HeldPort.silent(backlog: 0), try HeldPort.silent())
        let callers = try StartedClient.fill(busy)
        var route = TCPRoute()
        route.attemptDelay = .milliseconds(5)
        #expect(try await connect([busy.number, busy.number, good.number], route) == good.number)
        withExtendedLifetime(callers) {}
    }

    @Test(arguments: [0, 1, 2, 3])
    func `connections that count up spread over the addresses`(_ offset: Int) async throws {
        let ports = try (0..<3).map { _ in try HeldPort.silent() }
        var route = TCPRoute()
        route.addressOffset = offset
        // No attempt overtakes another: each is decided long before.
        route.attemptDelay = .seconds(3600)
        #expect(try await connect(ports.map(\.number), route) == ports[offset % 3].number)
    }

    @Test func `when every address fails, the last one's error is told`() async throws {
        let ports = try (0..<3).map { _ in try HeldPort.deaf() }
        await #expect(throws: TransportError.connectionRefused) { try await connect(ports.map(\.number), TCPRoute()) }
    }

    @Test func `a socket is closed on exec, waits for nobody, and notices dead peers`() throws {
        let listener = try HeldPort.silent()
        let socket = try Socket(family: AF_INET)
        _ = try socket.connect(to: SocketAddress.resolve(host: "127.0.0.1", port: listener.number)[0])
        socket.noticeDeath(after: .seconds(30))
        let descriptor = socket.descriptor
        func option(_ level: Int32, _ name: Int32) -> Int32 {
            var value: Int32 = -1
            var byteCount = socklen_t(MemoryLayout<Int32>.size)
            _ = unsafe getsockopt(descriptor, level, name, &value, &byteCount)
            return value
        }
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        let tcp = Int32(IPPROTO_TCP)
        #expect(option(tcp, TCP_NODELAY) == 1)
        #expect(option(SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(option(tcp, TCP_KEEPIDLE) == 30)
        #expect(option(tcp, TCP_KEEPINTVL) == 10)
        #expect(option(tcp, TCP_USER_TIMEOUT) == 30_000)
        socket.noticeDeath(after: .nanoseconds(1))
        #expect(option(tcp, TCP_KEEPIDLE) == 1)
        #expect(option(tcp, TCP_USER_TIMEOUT) == 1)
        socket.noticeDeath(after: .seconds(Int64.max))
        #expect(option(tcp, TCP_USER_TIMEOUT) == .max)
        withExtendedLifetime(socket) {}
    }

    @Test func `a peer that takes nothing any more counts as lost`() async throws {
        let loopback = try Loopback()
        let (loop, context) = (loopback.serverLoop, loopback.serverContext)
        let listener = try await loop.run {
            Result { () throws(TransportError) in
                LoopBound(
                    try TLSListener(address: "127.0.0.1", port: 0, context: context, loop: loop, limits: .patient) {
                        _ in Deaf()
                    },
                    to: loop
                )
            }
        }.get()
        let port = await loop.run { listener.value.port }
        var limits = ConformanceClient.patience
        limits.unacknowledgedDeadline = .milliseconds(300)
        limits.sendQueueByteCountMax = 64 << 20
        let client = try await RecordedChannel.connect(loopback, to: port, limits: limits) { channel in
            // More than both sides' socket buffers take.
            #expect(throws: Never.self) { try channel.write([UInt8](repeating: 1, count: 48 << 20)) }
        }
        #expect(await client.untilClosed().error == .connectionLost)
    }
}
