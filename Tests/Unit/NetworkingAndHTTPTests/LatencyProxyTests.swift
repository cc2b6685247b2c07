import Glibc
import Platform
import TestSupport
import Testing

@testable import Bench
@testable import HTTP
@testable import Networking

@Suite struct LatencyProxyTests {
    @Test func `a request and its answer take the round trip at least`() async throws {
        let loopback = try Loopback()
        let loop = try EventLoop()
        defer { loop.stop() }
        let server = try await loopback.serve { _, responder in responder.respond(status: 200) }
        let roundTrip = Duration.milliseconds(21)
        let proxy = try await LatencyProxy.start(
            target: "127.0.0.1",
            port: server.port,
            roundTrip: roundTrip,
            loop: loop
        )
        let client = try await loopback.connect(to: proxy.port)
        for _ in 0..<5 {
            let start = MonotonicTime.now()
            #expect(try await client.send(.post("/")).status == 200)
            #expect(MonotonicTime.now() - start >= roundTrip)
        }
        await client.close()
        await server.close()
        await proxy.close()
    }

    @Test(arguments: [1 << 20, 20_000])
    func `bytes arrive unchanged and in order, also through a queue that is too small`(_ byteCountMax: Int) async throws
    {
        let loopback = try Loopback()
        let loop = try EventLoop()
        defer { loop.stop() }
        var limits = HTTP2ServerLimits.patient
        limits.settings.bodyByteCountMax = 4 << 20
        limits.settings.bodyByteCountHardMax = 4 << 20
        let server = try await loopback.serve(limits: limits) { request, responder in
            responder.respond(status: 200, body: request.body.reversed())
        }
        let proxy = try await LatencyProxy.start(
            target: "localhost",
            port: server.port,
            roundTrip: .milliseconds(2),
            byteCountMax: byteCountMax,
            loop: loop
        )
        var clientLimits = HTTP2ClientLimits.patient
        clientLimits.settings.bodyByteCountMax = 4 << 20
        clientLimits.settings.bodyByteCountHardMax = 4 << 20
        let client = try await loopback.connect(to: proxy.port, limits: clientLimits)
        try await withThrowingTaskGroup { group in
            for index in 0..<4 {
                group.addTask { () throws in
                    let body = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* (index + 3) &+ $0 >> 8) }
                    let response = try await client.send(.post("/", body: body))
                    #expect(response.body == body.reversed())
                }
            }
            try await group.waitForAll()
        }
        await client.close()
        await server.close()
        await proxy.close()
    }

    /// A target that runs the script for its one caller, and a raw connection to it through a latency proxy.
    private func throughProxy(
        _ script: @escaping TestProxy.Script,
        _ body: (ProxyCaller, LatencyProxy) async throws -> Void
    ) async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let target = try TestProxy(script)
        let proxy = try await LatencyProxy.start(
            target: "127.0.0.1",
            port: target.port,
            roundTrip: .milliseconds(4),
            loop: loop
        )
        let descriptor = try #require(TestProxy.connect(to: proxy.port))
        defer { close(descriptor) }
        try await body(ProxyCaller(descriptor: descriptor), proxy)
        await proxy.close()
        withExtendedLifetime(target) {}
    }

    @Test func `half a close is carried over, and the other direction goes on`() async throws {
        try await throughProxy { caller in
            caller.waitForEnd()
            caller.write(Array("after the end".utf8))
        } _: { caller, _ in
            caller.write([1, 2, 3])
            shutdown(caller.descriptor, Int32(SHUT_WR))
            #expect(caller.read(13) == Array("after the end".utf8))
            #expect(caller.read(1) == nil)
        }
    }

    @Test func `a reset comes behind the bytes that were sent before`() async throws {
        try await throughProxy { caller in
            guard caller.read(1) != nil else { return }
            caller.write([7])
            // The proxy has read it once it is acknowledged; a reset would discard unread bytes.
            guard caller.read(1) != nil else { return }
            var option = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(caller.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        } _: { caller, _ in
            caller.write([1])
            #expect(caller.read(1) == [7])
            caller.write([2])
            #expect(caller.readFailure() == ECONNRESET)
        }
    }

    @Test func `a target that is not there ends the caller's connection`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let nobody = try HeldPort.deaf()
        let proxy = try await LatencyProxy.start(
            target: "127.0.0.1",
            port: nobody.number,
            roundTrip: .zero,
            loop: loop
        )
        let descriptor = try #require(TestProxy.connect(to: proxy.port))
        defer { close(descriptor) }
        #expect(ProxyCaller(descriptor: descriptor).read(1) == nil)
        #expect(await proxy.connectionCount() == 0)
    }

    @Test func `closing ends every connection`() async throws {
        try await throughProxy { caller in
            caller.write([1])
            caller.waitForEnd()
        } _: { caller, proxy in
            #expect(caller.read(1) == [1])
            #expect(await proxy.connectionCount() == 1)
            await proxy.close()
            #expect(caller.read(1) == nil)
            #expect(await proxy.connectionCount() == 0)
        }
    }
}
