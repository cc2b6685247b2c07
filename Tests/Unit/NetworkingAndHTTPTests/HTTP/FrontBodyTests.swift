import Networking
import TestCertificates
import TestSupport
import Testing

@testable import HTTP

/// Permission, length and memory of request bodies.
@Suite struct FrontBodyTests {
    @Test func `HTTP 2: who is refused is told before the body, which takes no memory and no window`() async throws {
        let stage = try await FrontStage(FrontStage.closed)
        var frames: [RawFrame] = []
        let piece = [UInt8](repeating: 1, count: 16_000)
        var hasPonged = false
        let client = try await RecordedChannel.connect(stage.loopback, to: stage.port) { channel in
            // It has just opened, so there is room.
            try? channel.write(RawFrame.preface + RawFrame.request(stream: 1, endsStream: false))
        }
        var unparsed: [UInt8] = []
        for await event in client.events {
            guard case .received(let bytes) = event else { continue }
            unparsed += bytes
            let new = RawFrame.parse(unparsed)
            unparsed.removeFirst(new.reduce(0) { $0 + 9 + $1.payload.count })
            frames += new
            for frame in new {
                if frame.type == 3, frame.stream == 1 {
                    // All that a stream's window admits.
                    client.write((0..<60).flatMap { _ in RawFrame.data(stream: 1, piece) } + RawFrame.ping)
                }
                if frame.type == 6, frame.flags == 1 { hasPonged = true }
            }
            if hasPonged { client.channel.loop.perform { client.channel.value.close() } }
        }
        #expect(frames.filter { $0.type == 1 && $0.stream == 1 }.count == 1)
        #expect(frames.filter { $0.type == 3 }.map(\.payload) == [[0, 0, 0, 0]])
        #expect(!frames.contains { $0.type == 8 && $0.stream == 1 })
        #expect(await stage.highestBodyMemory() == 0)
        await stage.front.close()
    }

    @Test func `HTTP 1: who is refused is told before the body, which takes no memory`() async throws {
        let stage = try await FrontStage(FrontStage.closed)
        let client = try stage.client()
        client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n")
        let response = try #require(client.response())
        #expect(response.status == 401 && response["connection"] == "close")
        client.send([UInt8](repeating: 1, count: 100_000))
        #expect(client.rest().isEmpty)
        #expect(await stage.highestBodyMemory() == 0)
        await stage.front.close()
    }

    @Test func `HTTP 1: what is left of a short body is thrown away, and the connection goes on`() async throws {
        let stage = try await FrontStage { head in
            head.method.elementsEqual("POST".utf8) ? FrontStage.closed(head) : FrontStage.mirror(head)
        }
        let client = try stage.client()
        for _ in 0..<3 {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n")
            #expect(client.response()?.status == 401)
            client.send(
                [UInt8](repeating: UInt8(ascii: "G"), count: 50_000) + Array("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            )
            #expect(client.response()?.text == "GET /a ")
        }
        #expect(await stage.highestBodyMemory() == 0)
        await stage.front.close(gracefully: false)
    }

    private static func capped(_ byteCountMax: Int) -> @Sendable (HTTPHead) -> HTTPBeginning {
        { head in
            .read(
                byteCountMax: byteCountMax,
                share: FrontStage.share,
                then: ClosureExchange { body, responder in responder.respond(FrontStage.answer(head, body)) }
            )
        }
    }

    @Test func `a body as long as it may be is read, one byte more is too much, in both versions`() async throws {
        let stage = try await FrontStage(Self.capped(40_000))
        let client = try await stage.connect()
        #expect(try await client.send(.make("PUT", "/", body: .init(repeating: 1, count: 40_000))).body.count == 40_006)
        let refused = try await client.send(.make("PUT", "/", body: .init(repeating: 1, count: 40_001)))
        #expect(refused.status == 413 && refused.text == "40001")
        let other = try stage.client()
        let head = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: "
        other.send(head + "40000\r\n\r\n" + String(repeating: "a", count: 40_000))
        #expect(other.response()?.body.count == 40_006)
        other.send(head + "40001\r\n\r\n")
        let answer = try #require(other.response())
        #expect(answer.status == 413 && answer.text == "40001")
        #expect(await stage.front.bodyMemoryByteCount() == 0)
        await client.close()
        await stage.front.close(gracefully: false)
    }

    @Test func `HTTP 2: a length that announces too much is refused before the body`() async throws {
        let stage = try await FrontStage(Self.capped(1000))
        let client = try await stage.connect()
        var request = HTTP2Request.make("PUT", "/", body: .init(repeating: 1, count: 500_000))
        request.headers.append("content-length", "500000")
        let response = try await client.send(request)
        #expect(response.status == 413 && response.text == "500000")
        request = .make("PUT", "/", body: .init(repeating: 1, count: 1000))
        request.headers.append("content-length", "1000")
        #expect(try await client.send(request).status == 200)
        await client.close()
        await stage.front.close()
    }

    @Test func `bodies of all connections share one memory, and who finds it used up is told`() async throws {
        // A list counts as the memory that it takes: up to twice its content, by the size of its pieces. So each holder
        // has room, and the long body fits without them only.
        var limits = HTTPLimits.patient
        // One owner gets half.
        limits.keyedBodyMemoryMax = 2_000_000
        let stage = try await FrontStage(limits: limits)
        var holders: [TestClient] = []
        while true {
            let byteCount = await stage.front.bodyMemoryByteCount()
            guard byteCount <= 520_000 else { break }
            let holder = try stage.client()
            holder.send(
                "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: 99_999)
            )
            await stage.wait { await stage.front.bodyMemoryByteCount() >= byteCount + 99_999 }
            holders.append(holder)
        }
        let client = try await stage.connect()
        let body = [UInt8](repeating: 1, count: 490_000)
        let request = Array("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        #expect(try await client.send(.make("PUT", "/", body: body)).status == 503)
        let other = try stage.client()
        other.send(request)
        #expect(other.response()?.status == 503)
        #expect(try await client.send(.make("PUT", "/", body: [1])).status == 200)
        // The last byte ends the request that held the memory.
        for holder in holders {
            holder.send("a")
            #expect(holder.response()?.status == 200)
        }
        #expect(await stage.front.bodyMemoryByteCount() == 0)
        let last = try stage.client()
        last.send(request)
        #expect(last.response()?.status == 200)
        #expect(await stage.highestBodyMemory() <= 1_000_000)
        await client.close()
        await stage.front.close(gracefully: false)
    }

    @Test func `memory counts until the answer, and comes back when the client goes`() async throws {
        let late = LateAnswers()
        let stage = try await FrontStage(late.application)
        let client = try await stage.connect()
        async let answer = client.send(.make("PUT", "/", body: .init(repeating: 1, count: 50_000)))
        let responder = try #require(await late.responders.next())
        #expect(await stage.front.bodyMemoryByteCount() >= 50_000)
        responder.respond(HTTPAnswer(status: 200))
        #expect(try await answer.status == 200)
        #expect(await stage.front.bodyMemoryByteCount() == 0)
        do {
            let other = try stage.client()
            other.send(
                "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n" + String(repeating: "a", count: 59_999)
            )
            await stage.wait { await stage.front.bodyMemoryByteCount() >= 59_999 }
        }
        await stage.wait { await stage.front.bodyMemoryByteCount() == 0 }
        await client.close()
        await stage.front.close()
    }

    @Test func `HTTP 1: a body that waits to be asked for is asked for, unless it is too long`() async throws {
        let stage = try await FrontStage(Self.capped(10))
        let client = try stage.client()
        let head = "PUT /a HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: "
        client.send(head + "2\r\n\r\n")
        #expect(client.response()?.status == 100)
        client.send("hi")
        #expect(client.response()?.text == "PUT /a hi")
        client.send(head + "11\r\n\r\n")
        let response = try #require(client.response())
        // It may still send its body or another request: nothing behind this is read.
        #expect(response.status == 413 && response["connection"] == "close")
        #expect(client.rest().isEmpty)
        await stage.front.close()
    }

    @Test func `HTTP 2: a body that waits to be asked for is asked for`() async throws {
        let stage = try await FrontStage()
        let field = ConformanceCase.field("expect", "100-continue")
        let block: [UInt8] = [0x83, 0x87, 0x84, 0x01, 1] + Array("x".utf8) + field
        let client = try await RecordedChannel.connect(stage.loopback, to: stage.port) { channel in
            // It has just opened, so there is room.
            try? channel.write(RawFrame.preface + RawFrame.frame(type: 1, flags: 4, stream: 1, block))
        }
        var frames: [RawFrame] = []
        var unparsed: [UInt8] = []
        for await event in client.events {
            guard case .received(let bytes) = event else { continue }
            unparsed += bytes
            let new = RawFrame.parse(unparsed)
            unparsed.removeFirst(new.reduce(0) { $0 + 9 + $1.payload.count })
            for frame in new where frame.stream == 1 {
                frames.append(frame)
                if frame.type == 1, frames.count == 1 { client.write(ConformanceCase.lastData(Array("hi".utf8))) }
                if frame.flags & 1 != 0 { client.channel.loop.perform { client.channel.value.close() } }
            }
        }
        #expect(frames.map(\.type) == [1, 1, 0])
        #expect(frames.last?.payload == Array("POST / hi".utf8))
        await stage.front.close()
    }
}
