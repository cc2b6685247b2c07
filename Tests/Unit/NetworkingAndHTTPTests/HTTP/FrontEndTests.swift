import Platform
import TestCertificates
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

@Suite struct FrontEndTests {
    /// The port cannot be probed: another test may get it at once.
    private static func waitUntilNobodyListens(_ stage: FrontStage) async {
        let core = stage.front.core
        await stage.wait {
            // Closing may need this thread.
            await Task.yield()
            return await core.loop.run { core.value.ports.isEmpty && core.value.loopbackPort == nil }
        }
    }

    @Test func `HTTP 1: what was begun has its answer, and then the connection ends`() async throws {
        let late = LateAnswers()
        let stage = try await FrontStage(late.application)
        let client = try stage.client()
        client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
        let responder = try #require(await late.responders.next())
        let byteCount = await stage.front.bodyMemoryByteCount()
        let half = try stage.client()
        half.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nh")
        await stage.wait { await stage.front.bodyMemoryByteCount() > byteCount }
        let idle = try stage.client()
        async let closing: Void = stage.front.close()
        await Self.waitUntilNobodyListens(stage)
        #expect(idle.rest().isEmpty)
        half.send("i")
        let other = try #require(await late.responders.next())
        responder.respond(HTTPAnswer(status: 202, body: Array("late".utf8)))
        let response = try #require(client.response())
        #expect(response.status == 202 && response.text == "late" && response["connection"] == "close")
        #expect(client.rest().isEmpty)
        other.respond(HTTPAnswer(status: 203))
        #expect(half.response()?.status == 203)
        #expect(half.rest().isEmpty)
        await closing
    }

    @Test func `HTTP 2: what was begun has its answer, and then the connection ends`() async throws {
        let late = LateAnswers()
        let stage = try await FrontStage(late.application)
        let client = try await stage.connect()
        async let answer = client.send(.make("PUT", "/", body: [1]))
        let responder = try #require(await late.responders.next())
        async let closing: Void = stage.front.close()
        await Self.waitUntilNobodyListens(stage)
        responder.respond(HTTPAnswer(status: 202))
        #expect(try await answer.status == 202)
        await closing
        #expect(await stage.front.connectionCount() == 0)
    }

    @Test func `the loopback port drains, too`() async throws {
        let late = LateAnswers()
        let stage = try await FrontStage(isPlain: true, late.application)
        let port = try #require(stage.front.loopbackPort)
        let client = try PlainCaller(port: port)
        client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let responder = try #require(await late.responders.next())
        async let closing: Void = stage.front.close()
        await Self.waitUntilNobodyListens(stage)
        responder.respond(HTTPAnswer(status: 202, body: Array("late".utf8)))
        #expect(client.rest().hasSuffix("late"))
        await closing
    }

    @Test func `who is not done when the drain is over is cut off`() async throws {
        let late = LateAnswers()
        var limits = HTTPLimits.patient
        limits.drainDeadline = .milliseconds(50)
        let stage = try await FrontStage(limits: limits, late.application)
        let client = try stage.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let other = try await stage.connect()
        let failing = Task { try await other.send(.post("/")).status }
        let first = await late.responders.next()
        let second = await late.responders.next()
        await stage.front.close()
        #expect(client.rest().isEmpty)
        await #expect(throws: TransportError.self) { _ = try await failing.value }
        // The client has gone.
        first?.respond(HTTPAnswer(status: 200))
        second?.respond(HTTPAnswer(status: 200))
    }

    @Test func `closing at once waits for nobody, and closing again is harmless`() async throws {
        let late = LateAnswers()
        let stage = try await FrontStage(late.application)
        let client = try stage.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let responder = await late.responders.next()
        await stage.front.close(gracefully: false)
        await stage.front.close()
        #expect(client.rest().isEmpty)
        responder?.respond(HTTPAnswer(status: 200))
    }

    @Test func `an answer is taken once, from any thread`() async throws {
        let late = LateAnswers()
        let stage = try await FrontStage(late.application)
        let client = try stage.client()
        let other = try await stage.connect()
        for number in 0..<50 {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let first = try #require(await late.responders.next())
            first.respond(HTTPAnswer(status: 200, body: Array("\(number)".utf8)))
            first.respond(HTTPAnswer(status: 500))
            #expect(client.response()?.text == "\(number)")
            // Too late for its own request, and not taken for the next one's.
            first.respond(HTTPAnswer(status: 500))
            async let answer = other.send(.post("/"))
            let second = try #require(await late.responders.next())
            second.respond(HTTPAnswer(status: 201))
            second.respond(HTTPAnswer(status: 500))
            #expect(try await answer.status == 201)
        }
        await stage.front.close(gracefully: false)
    }

    @Test func `clients that go while their answers are pending leave nothing behind`() async throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let late = LateAnswers()
        let stage = try await FrontStage(isPlain: true, late.application)
        let port = try #require(stage.front.loopbackPort)
        for _ in 0..<150 {
            let kind = Int.random(in: 0..<3, using: &random)
            let head = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + String(repeating: "a", count: 5000)
            var tls: TestClient?
            var plain: PlainCaller?
            var two: HTTP2ClientConnection?
            var call: Task<Void, Never>?
            switch kind {
            case 0:
                tls = try stage.client()
                tls?.send(head)
            case 1:
                plain = try PlainCaller(port: port)
                plain?.write(head)
            default:
                let connection = try await stage.connect()
                two = connection
                call = Task {
                    // Cut off, or answered in time.
                    _ = try? await connection.send(.make("PUT", "/", body: .init(repeating: 1, count: 5000)))
                }
            }
            let responder = try #require(await late.responders.next())
            let isBefore = Bool.random(using: &random)
            if isBefore { responder.respond(HTTPAnswer(status: 200, body: .init(repeating: 1, count: 100_000))) }
            tls = nil
            plain = nil
            // Cancelling resets the stream; the connection closes when the call is over.
            if !isBefore { call?.cancel() }
            if !isBefore { responder.respond(HTTPAnswer(status: 200, body: .init(repeating: 1, count: 100_000))) }
            await call?.value
            await two?.close()
        }
        await stage.wait { await stage.front.connectionCount() == 0 }
        #expect(await stage.front.bodyMemoryByteCount() == 0, "seed \(seed)")
        await stage.front.close()
    }
}
