import Glibc
import TestCertificates
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

/// Many requests without a key and silent connections, beside clients that are served.
@Suite struct FrontFloodTests {
    private static func limits(_ change: (inout HTTPLimits) -> Void) -> HTTPLimits {
        var limits = HTTPLimits.patient
        change(&limits)
        return limits
    }

    private static func head(_ path: String, _ byteCount: Int) -> String {
        "PUT \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(byteCount)\r\n\r\n"
    }

    /// A request whose last byte does not come.
    private static func holder(_ stage: FrontStage, _ path: String, _ byteCount: Int) async throws -> TestClient {
        let before = await stage.front.bodyMemoryByteCount()
        let client = try stage.client()
        client.send(head(path, byteCount) + String(repeating: "a", count: byteCount - 1))
        await stage.wait { await stage.front.bodyMemoryByteCount() >= before + byteCount - 1 }
        return client
    }

    @Test func `bodies without a key have their own memory, and each network its part of it`() async throws {
        // A list counts as the memory that it takes: up to twice its content.
        let stage = try await FrontStage(
            limits: Self.limits { limits in
                limits.keyedBodyMemoryMax = 4_000_000
                limits.keylessBodyMemoryMax = 1_000_000
                limits.networkBodyMemoryMax = 200_000
            }
        )
        let holder = try await Self.holder(stage, "/keyless-a", 90_000)
        let client = try await stage.connect()
        for (path, byteCount, status) in [
            ("/keyless-a", 150_000, 503), ("/keyless-b", 90_000, 200), ("/key", 900_000, 200),
        ] {
            let body = [UInt8](repeating: 1, count: byteCount)
            #expect(try await client.send(.make("PUT", path, body: body)).status == status, "\(path)")
            // A refusal before the body is complete ends the connection.
            let other = try stage.client()
            other.send(Array(Self.head(path, byteCount).utf8) + body)
            #expect(other.response()?.status == status, "\(path)")
        }
        holder.send("a")
        #expect(holder.response()?.status == 200)
        #expect(await stage.front.bodyMemoryByteCount() == 0)
        await client.close()
        await stage.front.close(gracefully: false)
    }

    @Test func `HTTP 1: a request without a key has less time than one with a key`() async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.keylessDeadline = .milliseconds(100) })
        var keyed = try stage.client()
        keyed.send(Self.head("/key", 3) + "ab")
        // On a busy machine its head may have come too late: try another.
        while await stage.front.bodyMemoryByteCount() == 0 {
            guard await stage.front.connectionCount() == 0 else { continue }
            keyed = try stage.client()
            keyed.send(Self.head("/key", 3) + "ab")
        }
        for text in ["GET /", Self.head("/keyless-a", 3) + "ab"] {
            let client = try stage.client()
            client.send(text)
            #expect(client.response()?.status == 408)
        }
        keyed.send("c")
        #expect(keyed.response()?.text == "PUT /key abc")
        await stage.front.close(gracefully: false)
    }

    @Test func `HTTP 2: a request without a key has less time than one with a key`() async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.keylessDeadline = .milliseconds(100) })
        let streams = [(1, "/key"), (3, "/keyless-a"), (5, "/keyless-b")] as [(UInt32, String)]
        let requests = streams.flatMap { stream, path in
            let block: [UInt8] = [0x83, 0x87, 0x04, UInt8(path.utf8.count)] + Array(path.utf8) + [0x01, 1, 0x78]
            return RawFrame.frame(type: 1, flags: 4, stream: stream, block) + RawFrame.data(stream: stream, [1])
        }
        let client = try await RecordedChannel.connect(stage.loopback, to: stage.port) { channel in
            // It has just opened, so there is room.
            try? channel.write(RawFrame.preface + requests)
        }
        var unparsed: [UInt8] = []
        var reset: Set<UInt32> = []
        for await event in client.events {
            guard case .received(let bytes) = event else { continue }
            unparsed += bytes
            let new = RawFrame.parse(unparsed)
            unparsed.removeFirst(new.reduce(0) { $0 + 9 + $1.payload.count })
            for frame in new where frame.type == 3 { reset.insert(frame.stream) }
            if reset.count == 2 { client.channel.loop.perform { client.channel.value.close() } }
        }
        #expect(reset == [3, 5])
        await stage.front.close(gracefully: false)
    }

    @Test func `connections that say nothing make room for the next`() async throws {
        let stage = try await FrontStage(limits: Self.limits { $0.connectionCountMax = 2 })
        let silent = try (0..<2).map { _ in try #require(PlainClient.connect(to: stage.port)) }
        await stage.wait { await stage.front.connectionCount() == 2 }
        let client = try stage.client()
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.text == "GET /a ")
        #expect(silent[0].receiveAll().isEmpty)
        // The other one goes next, and then there is none left to close.
        let next = try stage.client()
        next.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(next.response()?.status == 200)
        #expect(silent[1].receiveAll().isEmpty)
        #expect(throws: TestAuthority.Failure.self) { _ = try stage.client() }
        await stage.front.close(gracefully: false)
    }

    @Test func `a connection without a key makes room for the next, in both versions, and one with a key does not`()
        async throws
    {
        let stage = try await FrontStage(limits: Self.limits { $0.connectionCountMax = 3 })
        let keyed = try await stage.connect()
        #expect(try await keyed.send(.make("GET", "/key")).status == 200)
        let keyless = try await stage.connect()
        #expect(try await keyless.send(.make("GET", "/keyless-a")).status == 200)
        let other = try stage.client()
        other.send("GET /keyless-a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(other.response()?.status == 200)
        let next = try (0..<2).map { _ in try stage.client() }
        #expect(other.rest().isEmpty)
        await #expect(throws: TransportError.self) { _ = try await keyless.send(.make("GET", "/keyless-a")) }
        #expect(try await keyed.send(.make("GET", "/key")).status == 200)
        withExtendedLifetime(next) {}
        await keyed.close()
        await stage.front.close(gracefully: false)
    }

    @Test func `silent connections of one address make room for others of it, once they have had a moment`()
        async throws
    {
        let stage = try await FrontStage(limits: Self.limits { $0.connectionCountPerAddressMax = 2 })
        let silent = try (0..<2).map { _ in try #require(PlainClient.connect(to: stage.port)) }
        await stage.wait { await stage.front.connectionCount() == 2 }
        // Refused until the silent ones are old enough to make room.
        let client = stage.hastyClient()
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.text == "GET /a ")
        #expect(silent[0].receiveAll().isEmpty)
        await stage.front.close(gracefully: false)
    }

    @Test func `a proxy that was named has as many connections as it likes`() async throws {
        let stage = try await FrontStage(
            limits: Self.limits { limits in
                limits.connectionCountPerAddressMax = 1
                limits.isProxy = { $0 == "127.0.0.1" }
            }
        )
        let clients = try (0..<3).map { _ in try stage.client() }
        for client in clients {
            client.send("GET /keyless-a HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.response()?.status == 200)
        }
        await stage.front.close(gracefully: false)
    }
}
