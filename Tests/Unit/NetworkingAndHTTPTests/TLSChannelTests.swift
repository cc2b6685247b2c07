import Platform
import TestCertificates
import TestSupport
import Testing

@testable import Networking

@Suite struct TLSChannelTests {
    private func listen(
        _ loopback: Loopback,
        address: String = "127.0.0.1",
        port: UInt16 = 0,
        limits: TLSChannelLimits = ConformanceClient.patience,
        connectionCountMax: Int = 16,
        makeDelegate: @escaping @Sendable () -> any TLSChannelDelegate = { Echo() }
    ) async throws -> LoopBound<TLSListener> {
        let (loop, context) = (loopback.serverLoop, loopback.serverContext)
        return try await loop.run {
            Result { () throws(TransportError) in
                LoopBound(
                    try TLSListener(
                        address: address,
                        port: port,
                        context: context,
                        loop: loop,
                        limits: limits,
                        connectionCountMax: connectionCountMax
                    ) { _ in makeDelegate() },
                    to: loop
                )
            }
        }.get()
    }

    private func port(_ listener: LoopBound<TLSListener>) async -> UInt16 {
        await listener.loop.run { listener.value.port }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `bytes come back from an echo, and both sides say goodbye`(_ host: String) async throws {
        let loopback = try Loopback()
        let listener = try await listen(loopback)
        let text = Array("hello".utf8)
        let client = try await RecordedChannel.connect(loopback, to: port(listener), host: host) { channel in
            #expect(throws: Never.self) { try channel.write(text) }
        }
        for await event in client.events {
            if event == .received(text) { await client.channel.loop.run { client.channel.value.close() } }
            if case .closed(let error) = event { #expect(error == nil) }
        }
    }

    @Test func `a writer that is held back is told when there is room, and nothing is lost`() async throws {
        let loopback = try Loopback()
        var limits = ConformanceClient.patience
        limits.sendQueueByteCountHigh = 64 << 10
        let listener = try await listen(loopback, limits: limits)
        let client = try await RecordedChannel.connect(loopback, to: port(listener), limits: limits)
        let total = 8 << 20
        let piece = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let channel = client.channel
        @Sendable func write(from offset: Int) -> Int {
            var written = offset
            while written < total, channel.value.isWritable {
                let rest = Array(piece.prefix(total - written))
                #expect(throws: Never.self) { try channel.value.write(rest) }
                written += rest.count
            }
            return written
        }
        var written = 0
        var received = 0
        var heldBackCount = 0
        for await event in client.events {
            switch event {
            case .opened, .writable:
                if event == .writable { heldBackCount += 1 }
                let offset = written
                written = await channel.loop.run { write(from: offset) }
            case .received(let bytes):
                for (index, byte) in bytes.enumerated() where byte != piece[(received + index) % piece.count] {
                    Issue.record("byte \(received + index) is wrong")
                    break
                }
                received += bytes.count
                if received == total { await channel.loop.run { channel.value.close() } }
            case .closed(let error): #expect(error == nil)
            }
        }
        #expect(received == total)
        #expect(heldBackCount > 0)
    }

    @Test func `a queue that is full refuses, and the connection goes on`() async throws {
        let loopback = try Loopback()
        let listener = try await listen(loopback)
        var limits = ConformanceClient.patience
        limits.sendQueueByteCountMax = 100_000
        let refused = Guarded<TransportError?>(nil)
        let client = try await RecordedChannel.connect(loopback, to: port(listener), limits: limits) { channel in
            do throws(TransportError) {
                try channel.write([UInt8](repeating: 1, count: 90_000))
                try channel.write([UInt8](repeating: 2, count: 90_000))
            } catch {
                refused.withLock { $0 = error }
            }
            channel.close()
        }
        let (_, error) = await client.untilClosed()
        #expect(error == nil)
        #expect(refused.withLock { $0 } == .sendQueueFull(byteCountMax: 100_000))
    }

    @Test func `a port in use is named`() async throws {
        let loopback = try Loopback()
        // An address of its own: another test may get a closed port of the shared one at once.
        let address = "127.0.0.79"
        let first = try await listen(loopback, address: address)
        let port = await port(first)
        await #expect(throws: TransportError.addressInUse(port: port)) {
            try await listen(loopback, address: address, port: port)
        }
        await first.loop.run { first.value.close() }
        // Free at once, although connections may still exist; except while another test's child has a copy before its
        // exec.
        var second: LoopBound<TLSListener>?
        while second == nil {
            do { second = try await listen(loopback, address: address, port: port) } catch {
                guard error as? TransportError == .addressInUse(port: port) else { throw error }
            }
        }
    }

    @Test func `nobody listening is refused`() async throws {
        let loopback = try Loopback()
        let port = try HeldPort.deaf()
        let client = try await RecordedChannel.connect(loopback, to: port.number)
        #expect(await client.untilClosed().error == .connectionRefused)
    }

    @Test func `a name that does not exist is told`() async throws {
        let loopback = try Loopback()
        let client = try await RecordedChannel.connect(loopback, to: 1, host: "name.invalid")
        guard case .hostNotFound? = await client.untilClosed().error else {
            Issue.record("not hostNotFound")
            return
        }
    }

    @Test func `a host that does not answer runs out of time`() async throws {
        let loopback = try Loopback()
        let busy = try HeldPort.silent(backlog: 0)
        let callers = try StartedClient.fill(busy)
        var limits = ConformanceClient.patience
        limits.connectDeadline = .milliseconds(30)
        let client = try await RecordedChannel.connect(loopback, to: busy.number, limits: limits)
        #expect(await client.untilClosed().error == .deadlineExceeded(.connect))
        withExtendedLifetime(callers) {}
    }

    @Test func `a peer that does not shake hands runs out of time`() async throws {
        let loopback = try Loopback()
        let silent = try HeldPort.silent()
        var limits = ConformanceClient.patience
        limits.handshakeDeadline = .milliseconds(30)
        let client = try await RecordedChannel.connect(loopback, to: silent.number, limits: limits)
        #expect(await client.untilClosed().error == .deadlineExceeded(.handshake))
    }

    @Test func `a client that does not shake hands is shown out`() async throws {
        let loopback = try Loopback()
        var limits = ConformanceClient.patience
        limits.handshakeDeadline = .milliseconds(30)
        let listener = try await listen(loopback, limits: limits)
        guard let client = PlainClient.connect(to: await port(listener)) else {
            Issue.record("no connection")
            return
        }
        let received = client.receiveAll()
        #expect(received.isEmpty)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}garbage that is no handshake", "x"])
    func `garbage ends its own connection and no other`(_ text: String) async throws {
        let loopback = try Loopback()
        let listener = try await listen(loopback)
        let port = await port(listener)
        let good = try await RecordedChannel.connect(loopback, to: port)
        var events = good.events.makeAsyncIterator()
        #expect(await events.next() == .opened)
        guard let bad = PlainClient.connect(to: port) else {
            Issue.record("no connection")
            return
        }
        bad.send(Array(text.utf8))
        // At most an alert.
        let received = bad.receiveAll()
        #expect(received.count < 16)
        await good.channel.loop.run { #expect(throws: Never.self) { try good.channel.value.write([1]) } }
        #expect(await events.next() == .received([1]))
        await good.channel.loop.run { good.channel.value.close() }
        #expect(await events.next() == .closed(nil))
    }

    @Test func `a close that loses bytes is not in order`() async throws {
        let loopback = try Loopback()
        let listener = try await listen(loopback) { Deaf() }
        var limits = ConformanceClient.patience
        limits.closeDeadline = .milliseconds(100)
        // More than both sides' socket buffers take.
        limits.sendQueueByteCountMax = 64 << 20
        let client = try await RecordedChannel.connect(loopback, to: port(listener), limits: limits) { channel in
            #expect(throws: Never.self) { try channel.write([UInt8](repeating: 1, count: 48 << 20)) }
            channel.close()
        }
        #expect(await client.untilClosed().error == .deadlineExceeded(.close))
    }

    @Test func `a silent connection ends after its idle deadline`() async throws {
        let loopback = try Loopback()
        let listener = try await listen(loopback)
        var limits = ConformanceClient.patience
        limits.idleDeadline = .milliseconds(30)
        let client = try await RecordedChannel.connect(loopback, to: port(listener), limits: limits)
        #expect(await client.untilClosed().error == .deadlineExceeded(.idle))
    }

    @Test func `a peer that vanishes is not a goodbye`() async throws {
        let loopback = try Loopback()
        final class Vanishing: TLSChannelDelegate {
            func channelDidOpen(_ channel: TLSChannel) { channel.abort(.cancelled) }
            func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {}
            func channelIsWritable(_ channel: TLSChannel) {}
            func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {}
        }
        let listener = try await listen(loopback) { Vanishing() }
        let client = try await RecordedChannel.connect(loopback, to: port(listener))
        #expect(await client.untilClosed().error == .connectionLost)
    }

    @Test func `what a peer said before it was gone is read, also when a write is the first to find it gone`()
        async throws
    {
        let loopback = try Loopback()
        let (port, accepted) = try await RecordedChannel.listen(loopback, greeting: [0])
        let client = try await RecordedChannel.connect(loopback, to: port)
        let server = try #require(await accepted.next()).channel
        var events = client.events.makeAsyncIterator()
        #expect(await events.next() == .opened)
        #expect(await events.next() == .received([0]))
        // The client's loop does not learn of it before it writes.
        await client.channel.loop.run {
            server.loop.wait {
                #expect(throws: Never.self) { try server.value.write([1, 2, 3]) }
                server.value.flush()
                server.value.abort(.cancelled, resets: true)
            }
            #expect(throws: Never.self) { try client.channel.value.write([9]) }
            client.channel.value.flush()
        }
        #expect(await events.next() == .received([1, 2, 3]))
        #expect(await events.next() == .closed(.connectionLost))
    }

    @Test func `who comes when the house is full is shown out, until someone leaves`() async throws {
        let loopback = try Loopback()
        let listener = try await listen(loopback, connectionCountMax: 1)
        let port = await port(listener)
        let first = try await RecordedChannel.connect(loopback, to: port)
        var events = first.events.makeAsyncIterator()
        #expect(await events.next() == .opened)
        let second = try await RecordedChannel.connect(loopback, to: port)
        #expect(await second.untilClosed().error != nil)
        await first.channel.loop.run { first.channel.value.close() }
        #expect(await events.next() == .closed(nil))
        // Each side learns of the end by itself.
        while await listener.loop.run({ listener.value.connectionCount }) > 0 { await Task.yield() }
        let third = try await RecordedChannel.connect(loopback, to: port) { $0.close() }
        #expect(await third.untilClosed().error == nil)
    }

    @Test func `a certificate for another host is refused on the way, too`() async throws {
        let loopback = try Loopback(names: "DNS:example.org")
        let listener = try await listen(loopback)
        let client = try await RecordedChannel.connect(loopback, to: port(listener))
        #expect(await client.untilClosed().error == .tls(.wrongHost("IP address mismatch")))
    }

    @Test func `a loop that stops settles its channels`() async throws {
        let loopback = try Loopback()
        let listener = try await listen(loopback)
        let client = try await RecordedChannel.connect(loopback, to: port(listener))
        var events = client.events.makeAsyncIterator()
        #expect(await events.next() == .opened)
        loopback.clientLoop.stop()
        #expect(await events.next() == .closed(.loopStopped))
    }
}
