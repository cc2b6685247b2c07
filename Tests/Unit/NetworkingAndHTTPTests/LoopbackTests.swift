import Platform
import Testing

@testable import HTTP
@testable import Networking

@Suite struct LoopbackTests {
    @Test func `a request reaches the handler and its answer the caller`() async throws {
        let loopback = try Loopback()
        let server = try await loopback.serve { request, responder in
            var headers = HeaderBlock()
            headers.append("apns-id", request.headers["apns-id"] ?? [])
            responder.respond(status: 201, headers: headers, body: request.path + request.body)
        }
        let client = try await loopback.connect(to: server.port)
        var request = HTTP2Request.post("/3/device/00", body: Array("hello".utf8))
        request.headers.append("apns-id", "42", indexing: .notIndexed)
        let response = try await client.send(request)
        #expect(response.status == 201)
        #expect(response.headers["apns-id"].map(Array.init) == Array("42".utf8))
        #expect(response.body == Array("/3/device/00hello".utf8))
        await client.close()
        await server.close()
    }

    @Test(arguments: [false, true])
    func `a thousand requests of one kilobyte share one connection`(_ isPinned: Bool) async throws {
        let loopback = try Loopback()
        let server = try await loopback.serve { request, responder in
            responder.respond(status: 200, body: request.body)
        }
        let client = try await loopback.connect(to: server.port)
        let answerCount = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<1000 {
                group.addTask(executorPreference: isPinned ? loopback.clientLoop : nil) {
                    let body = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 1024)
                    // A failure counts as a wrong answer below.
                    guard let response = try? await client.send(.post("/", body: body)) else { return false }
                    return response.status == 200 && response.body == body
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answerCount == 1000)
        await client.close()
        await server.close()
    }

    @Test func `big bodies pass through small windows, many at once`() async throws {
        let loopback = try Loopback()
        var limits = HTTP2ServerLimits.patient
        limits.settings.initialWindowByteCount = 2000
        limits.settings.connectionWindowByteCount = 65_535
        var clientLimits = HTTP2ClientLimits.patient
        clientLimits.settings.initialWindowByteCount = 2000
        clientLimits.settings.connectionWindowByteCount = 65_535
        let server = try await loopback.serve(limits: limits) { request, responder in
            responder.respond(status: 200, body: request.body.reversed())
        }
        let client = try await loopback.connect(to: server.port, limits: clientLimits)
        try await withThrowingTaskGroup { group in
            for index in 0..<10 {
                group.addTask { () throws in
                    let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* (index + 3)) }
                    let response = try await client.send(.post("/", body: body))
                    #expect(response.body == body.reversed())
                }
            }
            try await group.waitForAll()
        }
        await client.close()
        await server.close()
    }

    @Test func `the client keeps to the server's limit, and follows it up and down`() async throws {
        let loopback = try Loopback()
        let limitChange = Signal<Int>()
        var limits = HTTP2ServerLimits.patient
        limits.settings.maxConcurrentStreams = 2
        let gauge = LoopBound(Gauge(), to: loopback.serverLoop)
        let server = try await loopback.serve(limits: limits) { connection in
            GaugeHandler(gauge.value, connection)
        }
        let client = try await loopback.connect(to: server.port) { event in
            if case .maxConcurrentStreams(let count) = event { limitChange.send(count) }
        }
        #expect(await limitChange.next() == 2)
        await loopback.serverLoop.run { gauge.value.awaited = 2 }
        #expect(await answerCount(of: 50, client) == 50)
        #expect(await loopback.serverLoop.run { gauge.value.takeHighest() } == 2)
        await loopback.serverLoop.run { gauge.value.connection?.setMaxConcurrentStreams(7) }
        #expect(await limitChange.next() == 7)
        await loopback.serverLoop.run { gauge.value.awaited = 7 }
        #expect(await answerCount(of: 49, client) == 49)
        #expect(await loopback.serverLoop.run { gauge.value.takeHighest() } == 7)
        await loopback.serverLoop.run { gauge.value.connection?.setMaxConcurrentStreams(1) }
        #expect(await limitChange.next() == 1)
        await loopback.serverLoop.run { gauge.value.awaited = 1 }
        #expect(await answerCount(of: 20, client) == 20)
        #expect(await loopback.serverLoop.run { gauge.value.takeHighest() } == 1)
        await client.close()
        await server.close()
    }

    private func answerCount(of count: Int, _ client: HTTP2ClientConnection) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                // A failure counts as a missing answer.
                group.addTask { (try? await client.send(.post("/")))?.status == 200 }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }

    @Test func `an answer may come later and from another thread, once`() async throws {
        let loopback = try Loopback()
        let server = try await loopback.serve { _, responder in
            Task {
                responder.respond(status: 202)
                responder.respond(status: 500)
            }
        }
        let client = try await loopback.connect(to: server.port)
        for _ in 0..<20 { #expect(try await client.send(.post("/")).status == 202) }
        await client.close()
        await server.close()
    }

    @Test func `the handler learns how much a body had that was too large to keep`() async throws {
        let loopback = try Loopback()
        var limits = HTTP2ServerLimits.patient
        limits.settings.bodyByteCountMax = 4096
        limits.settings.bodyByteCountHardMax = 100_000
        let server = try await loopback.serve(limits: limits) { request, responder in
            responder.respond(status: request.bodyByteCount > request.body.count ? 413 : 200)
        }
        let client = try await loopback.connect(to: server.port)
        #expect(try await client.send(.post("/", body: .init(repeating: 1, count: 4096))).status == 200)
        #expect(try await client.send(.post("/", body: .init(repeating: 1, count: 4097))).status == 413)
        await #expect(throws: TransportError.ambiguous(.reset(code: 8))) {
            try await client.send(.post("/", body: .init(repeating: 1, count: 100_001)))
        }
        #expect(try await client.send(.post("/")).status == 200)
        await client.close()
        await server.close()
    }

    @Test func `a header block that is too large is answered with 431`() async throws {
        let loopback = try Loopback()
        let server = try await loopback.serve { _, responder in responder.respond(status: 200) }
        let client = try await loopback.connect(to: server.port)
        var request = HTTP2Request.post("/")
        request.headers.append("x-large", [UInt8](repeating: UInt8(ascii: "x"), count: 8000))
        #expect(try await client.send(request).status == 431)
        #expect(try await client.send(.post("/")).status == 200)
        await client.close()
        await server.close()
    }

    @Test func `a response that is too large is refused`() async throws {
        let loopback = try Loopback()
        let server = try await loopback.serve { request, responder in
            responder.respond(status: 200, body: .init(repeating: 1, count: 1000 + request.body.count))
        }
        var limits = HTTP2ClientLimits.patient
        limits.settings.bodyByteCountMax = 1000
        limits.settings.bodyByteCountHardMax = 1000
        let client = try await loopback.connect(to: server.port, limits: limits)
        #expect(try await client.send(.post("/")).body.count == 1000)
        await #expect(throws: TransportError.ambiguous(.responseTooLarge(byteCountMax: 1000))) {
            try await client.send(.post("/", body: [1]))
        }
        await client.close()
        await server.close()
    }

    @Test func `a connection that nobody holds any more closes`() async throws {
        let loopback = try Loopback()
        let closed = Signal<TransportError?>()
        let server = try await loopback.serve { _, responder in responder.respond(status: 200) }
        do {
            let client = try await loopback.connect(to: server.port) { event in
                if case .closed(let error) = event { closed.send(error) }
            }
            #expect(try await client.send(.post("/")).status == 200)
        }
        #expect(await closed.next() == .some(nil))
        await server.close()
    }
}

/// Counts the open requests, and answers them once `awaited` are open: however slowly they come, a client with a limit
/// above one has to use it.
private final class Gauge {
    weak var connection: HTTP2ServerConnection?
    /// Divides the run's number of requests.
    var awaited = 1
    private var open: [HTTP2Responder] = []
    private var highest = 0

    func begin(_ responder: HTTP2Responder, on loop: EventLoop) {
        open.append(responder)
        highest = max(highest, open.count)
        guard open.count == awaited else { return }
        // A few turns of the loop later: one too many would be here by then.
        loop.schedule(after: .milliseconds(2)) { [self] in
            let answered = open
            open = []
            for responder in answered { responder.respond(status: 200) }
        }
    }

    func takeHighest() -> Int {
        defer { highest = 0 }
        return highest
    }
}

private final class GaugeHandler: HTTP2Handler {
    private let gauge: Gauge
    private let loop: EventLoop

    init(_ gauge: Gauge, _ connection: HTTP2ServerConnection) {
        self.gauge = gauge
        loop = connection.loop
        gauge.connection = connection
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        gauge.begin(responder, on: loop)
    }
}
