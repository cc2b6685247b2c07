import Networking
import Platform
import Synchronization
import TestCertificates
import TestSupport
import Testing

@testable import HTTP

private final class RequestCount: Sendable {
    let value = Atomic<Int>(0)
}

@Suite struct FrontLimitTests {
    private static func limits(_ change: (inout HTTPLimits) -> Void) -> HTTPLimits {
        var limits = HTTPLimits.patient
        change(&limits)
        return limits
    }

    @Test(arguments: ["G", "GET / HTTP/1.1\r\n", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"])
    func `HTTP 1: a request that does not come to its end is ended, and told so`(_ text: String) async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.requestDeadline = .milliseconds(100) })
        let client = try stage.client()
        client.send(text)
        #expect(client.response()?.status == 408)
        #expect(client.rest().isEmpty)
        #expect(await stage.front.bodyMemoryByteCount() == 0)
        await stage.front.close()
    }

    @Test func `HTTP 1: a byte now and then does not keep a connection`() async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.requestDeadline = .milliseconds(100) })
        let client = try stage.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\nA: ")
        // Bytes keep coming while the server takes them; few enough to stay below its limit.
        var count = 0
        while count < 10_000, client.send("a") { count += 1 }
        let rest = String(decoding: client.rest(), as: UTF8.self)
        #expect(rest.isEmpty || rest.hasPrefix("HTTP/1.1 408"))
        await stage.wait { await stage.front.connectionCount() == 0 }
        await stage.front.close()
    }

    @Test func `HTTP 2: a request that does not come to its end is ended`() async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.requestDeadline = .milliseconds(100) })
        let frames = try await Self.frames(
            stage,
            RawFrame.request(stream: 1, endsStream: false) + RawFrame.data(stream: 1, [1])
        ) {
            $0.type == 3
        }
        #expect(frames.last?.payload == [0, 0, 0, 8])
        await stage.wait { await stage.front.bodyMemoryByteCount() == 0 }
        await stage.front.close()
    }

    @Test func `HTTP 1: an answer that nobody takes ends the connection`() async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.responseDeadline = .milliseconds(100) }) { _ in
            .answer(HTTPAnswer(status: 200, body: .init(repeating: 1, count: 32 << 20)))
        }
        let client = try stage.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await stage.wait { await stage.front.connectionCount() == 0 }
        #expect(client.rest().count < 32 << 20)
        await stage.front.close()
    }

    @Test func `HTTP 2: an answer that has no window ends its stream`() async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.responseDeadline = .milliseconds(100) })
        let frames = try await Self.frames(
            stage,
            ConformanceCase.settings(4, 0) + RawFrame.request(stream: 1, endsStream: true)
        ) { $0.type == 3 }
        #expect(frames.last?.payload == [0, 0, 0, 8])
        await stage.front.close()
    }

    @Test func `a connection without a request ends in both versions`() async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.idleDeadline = .milliseconds(100) })
        #expect(try stage.client().rest().isEmpty)
        let frames = try await Self.frames(stage, []) { _ in false }
        #expect(frames.contains { $0.type == 7 })
        await stage.wait { await stage.front.connectionCount() == 0 }
        await stage.front.close()
    }

    @Test func `an answer that takes its time is no idleness`() async throws {
        let late = LateAnswers()
        let requests = RequestCount()
        let application = late.application
        let stage = try await FrontStage(
            limits: Self.limits { limits in
                // Longer than Nagle's algorithm and a delayed acknowledgement hold a first request back.
                limits.idleDeadline = .milliseconds(200)
                limits.requestDeadline = .milliseconds(200)
            }
        ) { head in
            requests.value.add(1, ordering: .relaxed)
            return application(head)
        }
        var client = stage.hastyClient()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        // On a busy machine a client may be too late: try another.
        while requests.value.load(ordering: .relaxed) == 0 {
            if await stage.front.connectionCount() > 0 { continue }
            client = stage.hastyClient()
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        let responder = try #require(await late.responders.next())
        let loop = stage.loopback.serverLoop
        // Twice both deadlines, on the clock that they are kept by.
        await withCheckedContinuation { continuation in
            loop.perform { loop.schedule(after: .milliseconds(400)) { continuation.resume() } }
        }
        responder.respond(HTTPAnswer(status: 202))
        #expect(client.response()?.status == 202)
        await stage.front.close(gracefully: false)
    }

    @Test func `a handshake that does not go on is given up`() async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.handshakeDeadline = .milliseconds(100) })
        let client = try #require(PlainClient.connect(to: stage.port))
        client.send([0x16, 3, 1])
        #expect(client.receiveAll().isEmpty)
        await stage.front.close()
    }

    @Test func `a handshake's limit that is replaced is that of who comes from then on`() async throws {
        let stage = try await FrontStage(limits: Self.limits { _ in })
        await stage.front.replaceLimits(Self.limits { $0.handshakeDeadline = .milliseconds(100) })
        let client = try #require(PlainClient.connect(to: stage.port))
        client.send([0x16, 3, 1])
        #expect(client.receiveAll().isEmpty)
        await stage.front.close()
    }

    @Test(arguments: ["all", "one address"]) func `who comes when all places are taken is not served`(_ kind: String)
        async throws
    {
        let stage = try await FrontStage(
            limits: Self.limits { limits in
                if kind == "all" { limits.connectionCountMax = 2 } else { limits.connectionCountPerAddressMax = 2 }
            }
        )
        var clients = try (0..<2).map { _ in try Self.keyedClient(stage) }
        #expect(throws: TestAuthority.Failure.self) { _ = try stage.client() }
        for client in clients { #expect(Self.isServed(client)) }
        clients.removeLast()
        await stage.wait { await stage.front.connectionCount() == 1 }
        clients.append(try stage.client())
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: [\HTTPLimits.connectionCountMax, \.connectionCountPerAddressMax])
    func `limits that are replaced count for who comes from then on, and drop nobody`(
        _ countMax: any WritableKeyPath<HTTPLimits, Int> & Sendable
    ) async throws {
        let stage = try await FrontStage(limits: Self.limits { $0[keyPath: countMax] = 1 })
        var clients = [try Self.keyedClient(stage)]
        #expect(throws: TestAuthority.Failure.self) { _ = try stage.client() }
        await stage.front.replaceLimits(Self.limits { $0[keyPath: countMax] = 2 })
        clients.append(try Self.keyedClient(stage))
        #expect(throws: TestAuthority.Failure.self) { _ = try stage.client() }
        await stage.front.replaceLimits(
            Self.limits { limits in
                limits[keyPath: countMax] = 1
                limits.requestDeadline = .milliseconds(100)
            }
        )
        for client in clients { #expect(Self.isServed(client)) }
        clients.removeAll()
        await stage.wait { await stage.front.connectionCount() == 0 }
        let slow = stage.hastyClient()
        slow.send("GET /")
        #expect(slow.response()?.status == 408)
        await stage.front.close(gracefully: false)
    }

    @Test func `places on the loopback port are its own`() async throws {
        let stage = try await FrontStage(
            limits: Self.limits { limits in
                limits.connectionCountMax = 1
                limits.loopbackConnectionCountMax = 1
            },
            isPlain: true
        )
        let port = try #require(stage.front.loopbackPort)
        let tls = try stage.client()
        let plain = try PlainCaller(port: port)
        await stage.wait { await stage.front.connectionCount() == 2 }
        let other = try PlainCaller(port: port)
        #expect(other.rest().isEmpty)
        plain.write("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(plain.rest().hasSuffix("GET /a "))
        withExtendedLifetime(tls) {}
        await stage.front.close(gracefully: false)
    }

    /// A client whose connection is never closed to make room: one of its requests had a key.
    private static func keyedClient(_ stage: FrontStage) throws -> TestClient {
        let client = try stage.client()
        #expect(isServed(client))
        return client
    }

    private static func isServed(_ client: TestClient) -> Bool {
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        return client.response()?.status == 200
    }

    /// The server's frames to a client that sends these bytes after its preface, up to a given frame or the
    /// connection's end.
    private static func frames(
        _ stage: FrontStage,
        _ bytes: [UInt8],
        until isLast: (RawFrame) -> Bool
    ) async throws -> [RawFrame] {
        let client = try await RecordedChannel.connect(stage.loopback, to: stage.port) { channel in
            // It has just opened, so there is room.
            try? channel.write(RawFrame.preface + bytes)
        }
        var frames: [RawFrame] = []
        var unparsed: [UInt8] = []
        for await event in client.events {
            guard case .received(let piece) = event else { continue }
            unparsed += piece
            let new = RawFrame.parse(unparsed)
            unparsed.removeFirst(new.reduce(0) { $0 + 9 + $1.payload.count })
            for frame in new {
                frames.append(frame)
                guard !isLast(frame) else {
                    client.channel.loop.perform { client.channel.value.close() }
                    return frames
                }
            }
        }
        return frames
    }
}
