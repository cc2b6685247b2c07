import Platform
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

@Suite struct ConnectionEndTests {
    /// Keeps every responder, and signals each.
    private final class Keeper: HTTP2Handler {
        private let arrived: Signal<HTTP2Responder>
        private let closed: Signal<Void>

        init(_ arrived: Signal<HTTP2Responder>, _ closed: Signal<Void>) {
            self.arrived = arrived
            self.closed = closed
        }

        func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
            guard request.path.elementsEqual("/answer".utf8) else { return arrived.send(responder) }
            responder.respond(status: 200)
        }

        func connectionDidClose() {
            closed.send(())
        }
    }

    private final class Stage: Sendable {
        let arrived = Signal<HTTP2Responder>()
        let closed = Signal<Void>()
        private let connection = Guarded<LoopBound<HTTP2ServerConnection>?>(nil)

        /// Long enough for the slowest sanitizer on a busy machine; a test reaches it only by a bug.
        static let patientLimits: HTTP2ServerLimits = {
            var limits = HTTP2ServerLimits.patient
            limits.drainDeadline = .seconds(120)
            return limits
        }()

        func serve(_ loopback: Loopback, limits: HTTP2ServerLimits = patientLimits) async throws -> HTTP2Server {
            try await loopback.serve(limits: limits) { [self] connection in
                let bound = LoopBound(connection, to: connection.loop)
                self.connection.withLock { $0 = bound }
                return Keeper(arrived, closed)
            }
        }

        func withConnection(_ body: @escaping @Sendable (HTTP2ServerConnection) -> Void) async {
            let bound = connection.withLock { bound in
                defer { bound = nil }
                return bound
            }
            guard let bound else { return }
            await bound.loop.run { body(bound.value) }
        }
    }

    private func failure(_ task: Task<HTTP2Response, any Error>) async -> TransportError? {
        await task.result.failure as? TransportError
    }

    @Test func `a goaway lets what it accepted end, and refuses what comes later`() async throws {
        let loopback = try Loopback()
        let stage = Stage()
        let server = try await stage.serve(loopback)
        let events = Signal<HTTP2ClientEvent>()
        let client = try await loopback.connect(to: server.port) { event in events.send(event) }
        #expect(await events.next() == .maxConcurrentStreams(100))
        let inFlight = Task { try await client.send(.post("/keep")) }
        let responder = try #require(await stage.arrived.next())
        await stage.withConnection { $0.goAway(code: 0, debugData: Array(#"{"reason":"Shutdown"}"#.utf8)) }
        #expect(
            await events.next()
                == .goAway(lastStreamID: 1, code: 0, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        )
        await #expect(throws: TransportError.notProcessed(.goAway(code: 0))) { try await client.send(.post("/")) }
        responder.respond(status: 200)
        #expect(try await inFlight.value.status == 200)
        #expect(await events.next() == .closed(nil))
        await stage.closed.next()
        await server.close()
    }

    @Test func `a goaway empties the queue of those who wait for a stream`() async throws {
        let loopback = try Loopback()
        let stage = Stage()
        var limits = Stage.patientLimits
        limits.settings.maxConcurrentStreams = 1
        let server = try await stage.serve(loopback, limits: limits)
        let client = try await loopback.connect(to: server.port)
        let first = Task(executorPreference: loopback.clientLoop) { try await client.send(.post("/keep")) }
        let responder = try #require(await stage.arrived.next())
        let second = Task(executorPreference: loopback.clientLoop) { try await client.send(.post("/keep")) }
        // The task runs on the loop, so it is in the queue once the loop has come round.
        await loopback.clientLoop.run {}
        await stage.withConnection { $0.goAway() }
        #expect(await failure(second) == .notProcessed(.goAway(code: 0)))
        responder.respond(status: 200)
        #expect(try await first.value.status == 200)
        await client.close()
        await server.close()
    }

    @Test func `a killed connection leaves what was sent ambiguous, and the rest not processed`() async throws {
        let loopback = try Loopback()
        let stage = Stage()
        var limits = Stage.patientLimits
        limits.settings.maxConcurrentStreams = 1
        let server = try await stage.serve(loopback, limits: limits)
        let client = try await loopback.connect(to: server.port)
        let sent = Task(executorPreference: loopback.clientLoop) { try await client.send(.post("/keep")) }
        _ = await stage.arrived.next()
        let queued = Task(executorPreference: loopback.clientLoop) { try await client.send(.post("/keep")) }
        await loopback.clientLoop.run {}
        await stage.withConnection { $0.abort() }
        #expect(await failure(sent) == .ambiguous(.connection(.connectionLost)))
        #expect(await failure(queued) == .notProcessed(.connection(.connectionLost)))
        await #expect(throws: TransportError.notProcessed(.connection(.connectionLost))) {
            try await client.send(.post("/"))
        }
        await server.close()
    }

    @Test func `a refused stream may be sent again, another reset is ambiguous`() async throws {
        let loopback = try Loopback()
        let stage = Stage()
        let server = try await stage.serve(loopback)
        let client = try await loopback.connect(to: server.port)
        for (code, expected) in [
            (UInt32(7), TransportError.notProcessed(.refusedStream)), (2, .ambiguous(.reset(code: 2))),
        ] {
            let task = Task { try await client.send(.post("/keep")) }
            try #require(await stage.arrived.next()).reset(code: code)
            #expect(await failure(task) == expected)
        }
        #expect(try await client.send(.post("/answer")).status == 200)
        await client.close()
        await server.close()
    }

    @Test(arguments: [false, true])
    func `a cancelled task's stream is reset and the connection goes on`(_ isPinned: Bool) async throws {
        let loopback = try Loopback()
        let stage = Stage()
        let server = try await stage.serve(loopback)
        let client = try await loopback.connect(to: server.port)
        let task = Task(executorPreference: isPinned ? loopback.clientLoop : nil) {
            try await client.send(.post("/keep"))
        }
        let late = try #require(await stage.arrived.next())
        task.cancel()
        #expect(await failure(task) == .ambiguous(.cancelled))
        #expect(try await client.send(.post("/answer")).status == 200)
        late.respond(status: 200)
        #expect(try await client.send(.post("/answer")).status == 200)
        await client.close()
        await server.close()
    }

    @Test(arguments: [false, true])
    func `a task that was cancelled before it sent sends nothing`(_ isPinned: Bool) async throws {
        let loopback = try Loopback()
        let stage = Stage()
        let server = try await stage.serve(loopback)
        let client = try await loopback.connect(to: server.port)
        let task = Task(executorPreference: isPinned ? loopback.clientLoop : nil) {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await client.send(.post("/keep"))
        }
        #expect(await failure(task) == .notProcessed(.cancelled))
        await client.close()
        await server.close()
    }

    @Test func `cancellations at any moment resume each caller exactly once`() async throws {
        let loopback = try Loopback()
        let server = try await loopback.serve { _, responder in responder.respond(status: 200) }
        let client = try await loopback.connect(to: server.port)
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<80 {
                group.addTask {
                    let task = Task { try await client.send(.post("/")) }
                    for _ in 0..<index % 7 { await Task.yield() }
                    task.cancel()
                    switch await task.result {
                    case .success(let response): return response.status == 200
                    case .failure(let error):
                        let error = error as? TransportError
                        return error == .ambiguous(.cancelled) || error == .notProcessed(.cancelled)
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(outcomes == 80)
        await client.close()
        await server.close()
    }

    @Test(arguments: [(UInt32(1), TransportError.ambiguous(.deadlineExceeded)), (0, .notProcessed(.deadlineExceeded))])
    func `a request that is not answered in time is given up, sent or not`(
        _ maxConcurrentStreams: UInt32,
        _ expected: TransportError
    ) async throws {
        let loopback = try Loopback()
        let stage = Stage()
        var limits = Stage.patientLimits
        limits.settings.maxConcurrentStreams = maxConcurrentStreams
        let server = try await stage.serve(loopback, limits: limits)
        var clientLimits = HTTP2ClientLimits.patient
        clientLimits.requestDeadline = .milliseconds(50)
        let client = try await loopback.connect(to: server.port, limits: clientLimits)
        await #expect(throws: expected) { try await client.send(.post("/keep")) }
        await client.close()
        await server.close()
    }

    @Test func `a queue that is full refuses at once`() async throws {
        let loopback = try Loopback()
        let stage = Stage()
        var limits = Stage.patientLimits
        limits.settings.maxConcurrentStreams = 0
        let server = try await stage.serve(loopback, limits: limits)
        var clientLimits = HTTP2ClientLimits.patient
        clientLimits.waitingCountMax = 1
        let client = try await loopback.connect(to: server.port, limits: clientLimits)
        // Whichever comes second.
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { () async -> TransportError? in
                    do throws(TransportError) {
                        _ = try await client.send(.post("/"))
                        return nil
                    } catch { return error }
                }
            }
            #expect(await group.next() == .notProcessed(.queueFull(countMax: 1)))
            await client.close()
            #expect(await group.next() == .notProcessed(.connection(.connectionClosed)))
        }
        await server.close()
    }

    @Test func `closing waits for what is in flight`() async throws {
        let loopback = try Loopback()
        let stage = Stage()
        let server = try await stage.serve(loopback)
        let client = try await loopback.connect(to: server.port)
        let task = Task { try await client.send(.post("/keep")) }
        let responder = try #require(await stage.arrived.next())
        async let closed: Void = client.close()
        await #expect(throws: TransportError.self) { while true { _ = try await client.send(.post("/answer")) } }
        responder.respond(status: 204)
        #expect(try await task.value.status == 204)
        await closed
        await server.close()
    }

    @Test func `a server that closes lets what is in flight end, up to its deadline`() async throws {
        let loopback = try Loopback()
        let stage = Stage()
        var limits = HTTP2ServerLimits.patient
        limits.drainDeadline = .milliseconds(50)
        let server = try await stage.serve(loopback, limits: limits)
        let client = try await loopback.connect(to: server.port)
        let task = Task { try await client.send(.post("/keep")) }
        _ = await stage.arrived.next()
        await server.close()
        guard case .ambiguous? = await failure(task) else {
            Issue.record("not ambiguous")
            return
        }
    }

    @Test func `connecting fails with the reason`() async throws {
        let loopback = try Loopback(names: "DNS:example.org")
        let server = try await loopback.serve { _, responder in responder.respond(status: 200) }
        await #expect(throws: TransportError.tls(.wrongHost("IP address mismatch"))) {
            try await loopback.connect(to: server.port)
        }
        await #expect(throws: TransportError.addressInUse(port: server.port)) {
            try await HTTP2Server.start(
                address: "127.0.0.1",
                port: server.port,
                context: loopback.serverContext,
                loop: loopback.serverLoop
            ) { _ in ClosureHandler { _, _ in } }
        }
        let port = try HeldPort.deaf()
        await #expect(throws: TransportError.connectionRefused) { try await loopback.connect(to: port.number) }
    }

    @Test func `connecting to a silent peer can be given up, by deadline and by cancelling`() async throws {
        let loopback = try Loopback()
        let silent = try HeldPort.silent()
        let port = silent.number
        var limits = HTTP2ClientLimits.patient
        limits.channel.handshakeDeadline = .milliseconds(30)
        await #expect(throws: TransportError.deadlineExceeded(.handshake)) {
            try await loopback.connect(to: port, limits: limits)
        }
        let task = Task { try await loopback.connect(to: port) }
        task.cancel()
        await #expect(throws: TransportError.cancelled) { try await task.value }
    }

    @Test func `a peer with TLS but without HTTP/2 runs out of time`() async throws {
        let loopback = try Loopback()
        let (loop, context) = (loopback.serverLoop, loopback.serverContext)
        let listener = try await loop.run {
            Result { () throws(TransportError) in
                LoopBound(
                    try TLSListener(address: "127.0.0.1", port: 0, context: context, loop: loop, limits: .patient) {
                        _ in Mute()
                    },
                    to: loop
                )
            }
        }.get()
        let port = await loop.run { listener.value.port }
        var limits = HTTP2ClientLimits.patient
        limits.channel.handshakeDeadline = .milliseconds(100)
        await #expect(throws: TransportError.deadlineExceeded(.handshake)) {
            try await loopback.connect(to: port, limits: limits)
        }
    }

    private final class Mute: TLSChannelDelegate {
        func channelDidOpen(_ channel: TLSChannel) {}
        func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {}
        func channelIsWritable(_ channel: TLSChannel) {}
        func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {}
    }
}

extension Result {
    fileprivate var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
