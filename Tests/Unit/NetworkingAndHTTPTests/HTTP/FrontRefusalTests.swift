import Platform
import TestCertificates
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

/// Connections with too many refused requests, which are read at a limited rate.
@Suite struct FrontRefusalTests {
    private static let application: @Sendable (HTTPHead) -> HTTPBeginning = { head in
        .answer(HTTPAnswer(status: head.path.elementsEqual("/fine".utf8) ? 200 : 429))
    }

    /// Limits that hold a connection back for so long from its first refusal on.
    private static func limits(holdFor nanoseconds: Int64) -> HTTPLimits {
        var limits = HTTPLimits.patient
        limits.refusals.burst = 0
        limits.refusals.countOfConnection = 0
        limits.refusals.percentMax = 100
        limits.refusals.nanosecondsEach = nanoseconds...nanoseconds
        limits.refusals.holdMax = nanoseconds
        return limits
    }

    private static let moment: Int64 = 20_000_000
    private static let hour: Int64 = 3_600_000_000_000

    private static func holdCount(_ stage: FrontStage) async -> Int {
        let core = stage.front.core
        return await core.loop.run { core.value.service.refusals.holdCount }
    }

    private static func write(_ bytes: [UInt8], _ channel: RecordedChannel) async {
        await channel.channel.loop.run {
            try? channel.channel.value.write(bytes)
            channel.channel.value.flush()
        }
    }

    @Test func `HTTP 2: who is held back goes on, and every request has its answer`() async throws {
        let stage = try await FrontStage(limits: Self.limits(holdFor: Self.moment), Self.application)
        let connection = try await stage.connect()
        for _ in 0..<5 {
            #expect(try await connection.send(.make("POST", "/", body: [1, 2, 3])).status == 429)
        }
        #expect(try await connection.send(.make("GET", "/fine")).status == 200)
        #expect(await Self.holdCount(stage) == 5)
        await connection.close()
        await stage.front.close()
    }

    @Test(arguments: [true, false])
    func `HTTP 1: who is held back goes on, and every request has its answer`(_ isPlain: Bool) async throws {
        let stage = try await FrontStage(limits: Self.limits(holdFor: Self.moment), isPlain: true, Self.application)
        // All at once, so that most wait in the server and not in the network.
        let refused = String(repeating: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", count: 5)
        let last = "GET /fine HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        let text: String
        if isPlain {
            let caller = try PlainCaller(port: try #require(stage.front.loopbackPort))
            caller.write(refused + last)
            text = caller.rest()
        } else {
            let client = try stage.client()
            client.send(refused + last)
            text = String(decoding: client.rest(), as: UTF8.self)
        }
        #expect(text.components(of: "HTTP/1.1 429") == 5 && text.components(of: "HTTP/1.1 200") == 1)
        #expect(await Self.holdCount(stage) == 5)
        await stage.front.close()
    }

    @Test func `who was not refused is read on while another is held back`() async throws {
        let stage = try await FrontStage(limits: Self.limits(holdFor: Self.hour), Self.application)
        let (refused, other) = (try await stage.connect(), try await stage.connect())
        #expect(try await refused.send(.make("POST", "/", body: [1])).status == 429)
        #expect(await Self.holdCount(stage) == 1)
        for _ in 0..<3 { #expect(try await other.send(.make("GET", "/fine")).status == 200) }
        let plain = try stage.client()
        plain.send("GET /fine HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(plain.response()?.status == 200)
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: [true, false])
    func `what is held back is not read`(_ isHTTP2: Bool) async throws {
        let asked = Signal<String>()
        let stage = try await FrontStage(limits: Self.limits(holdFor: Self.hour)) { head in
            asked.send(String(decoding: head.path, as: UTF8.self))
            return Self.application(head)
        }
        let client = try stage.client()
        let channel = try await RecordedChannel.connect(stage.loopback, to: stage.port) { channel in
            // It has just opened, so there is room.
            if isHTTP2 { try? channel.write(RawFrame.preface + RawFrame.request(stream: 1, endsStream: true)) }
        }
        if !isHTTP2 { client.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n") }
        let first = await asked.next()
        await stage.wait { await Self.holdCount(stage) == 1 }
        // The kernel has it when this returns.
        client.send(isHTTP2 ? "" : "GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
        if isHTTP2 { await Self.write(RawFrame.request(stream: 3, endsStream: true), channel) }
        let other = try stage.client()
        for _ in 0..<2 {
            other.send("GET /fine HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(other.response()?.status == 200)
        }
        asked.send("end")
        var paths: [String?] = []
        while paths.last != "end" { paths.append(await asked.next()) }
        #expect(first != nil && paths == ["/fine", "/fine", "end"])
        await stage.front.close(gracefully: false)
    }

    @Test func `HTTP 1: what comes while a connection is held back stays in the network`() async throws {
        let stage = try await FrontStage(limits: Self.limits(holdFor: Self.hour), isPlain: true, Self.application)
        let port = try #require(stage.front.loopbackPort)
        let (refused, other) = (try PlainCaller(port: port), try stage.client())
        refused.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await stage.wait { await Self.holdCount(stage) == 1 }
        refused.write("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
        // The kernel has had it for as long as this takes.
        other.send("GET /fine HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(other.response()?.status == 200)
        let core = stage.front.core
        let (isPaused, byteCount) = await core.loop.run {
            let connection = core.value.loopbackConnections.values.first?.1
            return (connection?.isReadingPaused, connection?.input.byteCount)
        }
        #expect(isPaused == true && byteCount == 0)
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: [true, false])
    func `who asks on and on is read as far as is paid for, and who heeds beside it to the end`(_ isHTTP2: Bool)
        async throws
    {
        var limits = Self.limits(holdFor: Self.hour)
        // The fourth is the first beyond the budget; two in a second hold no connection back.
        (limits.refusals.burst, limits.refusals.countOfConnection) = (3, 2)
        let reads = ReadCounts()
        let stage = try await FrontStage(limits: limits) { head in
            reads.add(String(decoding: head.path, as: UTF8.self))
            return Self.application(head)
        }
        let heedful = try stage.client()
        let ask: (Int) async throws -> Void
        if isHTTP2 {
            let opened = Signal<Bool>()
            let channel = try await RecordedChannel.connect(stage.loopback, to: stage.port) { channel in
                try? channel.write(RawFrame.preface)
                opened.send(true)
            }
            // Nothing is written before.
            #expect(await opened.next() == true)
            ask = { await Self.write(RawFrame.request(stream: UInt32(2 * $0 + 1), endsStream: true), channel) }
        } else {
            let client = try stage.client()
            ask = { _ in client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
        }
        // One at a time, as several in one piece are read together; and until more than two fell into one second,
        // however slow the machine is.
        var count = 0
        while await Self.holdCount(stage) == 0 {
            try await ask(count)
            count += 1
            let asked = count
            await stage.wait {
                if reads.all["/"] == asked { return true }
                return await Self.holdCount(stage) == 1
            }
        }
        let readCount = reads.all["/"]
        for more in count..<count + 3 { try await ask(more) }
        for (path, status) in [("/some", 429), ("/some", 429), ("/fine", 200), ("/fine", 200), ("/fine", 200)] {
            heedful.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(heedful.response()?.status == status)
        }
        #expect(readCount.map { $0 >= 4 } == true)
        #expect(reads.all == ["/": readCount, "/some": 2, "/fine": 3])
        #expect(await Self.holdCount(stage) == 1)
        await stage.front.close(gracefully: false)
    }

    @Test(arguments: [true, false])
    func `who asks on and on is read again when each refusal before is paid for, and no sooner`(_ isHTTP2: Bool)
        async throws
    {
        let reads = ReadCounts()
        let stage = try await FrontStage(limits: Self.limits(holdFor: Self.moment), isPlain: true) { head in
            reads.addTime()
            return Self.application(head)
        }
        let core = stage.front.core
        await core.loop.run { reads.watch(core.loop) }
        if isHTTP2 {
            let connection = try await stage.connect()
            for _ in 0..<4 { #expect(try await connection.send(.make("GET", "/")).status == 429) }
            await connection.close()
        } else {
            let caller = try PlainCaller(port: try #require(stage.front.loopbackPort))
            let refused = String(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: 3)
            caller.write(refused + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(caller.rest().components(of: "HTTP/1.1 429") == 4)
        }
        let times = reads.times
        #expect(times.count == 4)
        for (one, next) in zip(times, times.dropFirst()) { #expect(next - one >= .nanoseconds(Self.moment)) }
        await stage.front.close()
    }

    @Test func `HTTP 2: what came in one piece is paid for together, and has one wait`() async throws {
        let reads = ReadCounts()
        var limits = Self.limits(holdFor: Self.moment)
        // The budget covers all three.
        limits.refusals.holdMax = Self.hour
        let stage = try await FrontStage(limits: limits) { head in
            reads.addTime()
            return Self.application(head)
        }
        let core = stage.front.core
        await core.loop.run { reads.watch(core.loop) }
        let piece = [1, 3, 5].flatMap { RawFrame.request(stream: $0, endsStream: true) }
        let channel = try await RecordedChannel.connect(stage.loopback, to: stage.port) { channel in
            try? channel.write(RawFrame.preface + piece)
        }
        await stage.wait { reads.times.count == 3 }
        await Self.write(RawFrame.request(stream: 7, endsStream: true), channel)
        await stage.wait { reads.times.count == 4 }
        #expect(reads.times[3] - reads.times[0] >= .nanoseconds(3 * Self.moment))
        #expect(await Self.holdCount(stage) == 2)
        await stage.front.close(gracefully: false)
    }

    @Test func `a server that closes waits for nobody who is held back`() async throws {
        let stage = try await FrontStage(limits: Self.limits(holdFor: Self.hour), Self.application)
        let connection = try await stage.connect()
        let client = try stage.client()
        #expect(try await connection.send(.make("POST", "/")).status == 429)
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.status == 429)
        await stage.front.close()
        #expect(client.rest().isEmpty)
    }

    @Test func `who is held back and silent is idle like everybody else`() async throws {
        var limits = Self.limits(holdFor: Self.hour)
        limits.idleDeadline = .milliseconds(200)
        let stage = try await FrontStage(limits: limits, Self.application)
        var clients: [TestClient] = []
        // On a busy machine a client may be idle before its request has come.
        while await Self.holdCount(stage) == 0 {
            let client = stage.hastyClient()
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = client.response()
            clients.append(client)
        }
        await stage.wait { await stage.front.connectionCount() == 0 }
        await stage.front.close()
    }
}

/// Requests that the server has read, by path, with times of its loop's clock.
private final class ReadCounts: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var times: [MonotonicTime] = []
        var loop: EventLoop?
    }

    private let state = Guarded(State())

    func watch(_ loop: EventLoop) { state.withLock { $0.loop = loop } }
    func add(_ path: String) { state.withLock { $0.counts[path, default: 0] += 1 } }
    /// Call it on the loop.
    func addTime() { state.withLock { state in state.loop.map { state.times.append($0.now) } } }

    var all: [String: Int] { state.withLock { $0.counts } }
    var times: [MonotonicTime] { state.withLock { $0.times } }
}

extension String {
    fileprivate func components(of text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
