import Glibc
import Platform
import Testing

@testable import HTTP
@testable import Networking

/// A loop that stood still, and its judgement of peers afterwards.
@Suite struct LoopStallTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    /// Times in milliseconds.
    private static func wait(
        _ loopStall: inout LoopStall,
        turn: Int64,
        wait: Int64,
        planned: Int32,
        now: Int64
    ) -> MonotonicTime {
        loopStall.didWait(
            turnBegan: time(turn),
            waitBegan: time(wait),
            plannedMilliseconds: planned,
            now: time(now)
        )
        return loopStall.judgesFrom
    }

    @Test func `a wait that was planned is no hold-up, however long`() {
        var loopStall = LoopStall()
        let never = MonotonicTime(nanoseconds: .min)
        #expect(Self.wait(&loopStall, turn: 0, wait: 10, planned: 60_000, now: 60_010) == never)
        #expect(Self.wait(&loopStall, turn: 60_010, wait: 60_020, planned: -1, now: 900_000) == never)
        #expect(Self.wait(&loopStall, turn: 900_000, wait: 900_500, planned: 100, now: 901_000) == never, "0.9 s")
    }

    @Test func `after a hold-up peers get as long as it was, and five seconds at most`() {
        var slept = LoopStall()
        #expect(Self.wait(&slept, turn: 0, wait: 0, planned: 500, now: 2_500) == Self.time(4_500))
        var worked = LoopStall()
        #expect(Self.wait(&worked, turn: 0, wait: 1_500, planned: -1, now: 9_000) == Self.time(10_500))
        var long = LoopStall()
        #expect(Self.wait(&long, turn: 0, wait: 0, planned: 0, now: 20_000) == Self.time(25_000))
    }

    @Test func `who is held up without an end judges once a minute`() {
        var loopStall = LoopStall()
        var now: Int64 = 0
        var judgedCount = 0
        for _ in 0..<100 {
            let from = Self.wait(&loopStall, turn: now, wait: now, planned: 0, now: now + 2_000)
            now += 2_000
            if from <= Self.time(now) { judgedCount += 1 }
        }
        #expect(judgedCount == 3)
    }

    @Test func `a handshake that is late because nobody listened is waited for`() async throws {
        let loopback = try Loopback()
        // Both ends on one loop, which stands still in the middle until the deadline is over.
        let (loop, context) = (loopback.clientLoop, loopback.serverContext)
        let deadline = Duration.seconds(1)
        let port = try await loop.run {
            Result { () throws(TransportError) in
                try TLSListener(address: "127.0.0.1", port: 0, context: context, loop: loop, limits: .patient) { _ in
                    // After this turn has read everything, and before its own bytes are sent.
                    loop.perform {
                        let end = MonotonicTime.now() + deadline * 1.5
                        while MonotonicTime.now() < end { usleep(10_000) }
                    }
                    return Echo()
                }
                .port
            }
        }.get()
        var limits = TLSChannelLimits.patient
        limits.handshakeDeadline = deadline
        let client = try await RecordedChannel.connect(loopback, to: port, limits: limits)
        var events = client.events.makeAsyncIterator()
        #expect(await events.next() == .opened)
    }

    @Test func `an answer that is late because nobody listened is no lost answer`() async throws {
        let loopback = try Loopback()
        // Both ends on one loop: a pause holds up both, as on a machine that was asleep.
        let loop = loopback.clientLoop
        let deadline = Duration.seconds(4)
        let server = try await HTTP2Server.start(
            address: "127.0.0.1",
            port: 0,
            context: loopback.serverContext,
            loop: loop,
            limits: .patient
        ) { _ in
            ClosureHandler { _, responder in
                // The request was sent before, so its deadline is over at the end of this.
                let end = MonotonicTime.now() + deadline
                while MonotonicTime.now() < end { usleep(10_000) }
                // In the turn after the next one's timers.
                loop.perform { loop.perform { responder.respond(status: 200) } }
            }
        }
        var limits = HTTP2ClientLimits.patient
        limits.requestDeadline = deadline
        let client = try await loopback.connect(to: server.port, limits: limits)
        #expect(try await client.send(.post("/")).status == 200)
        await client.close()
        await server.close()
    }

    @Test func `a PING's answer that is late because nobody listened ends no connection`() async throws {
        let loopback = try Loopback()
        // As above: the pause holds up the answering end too.
        let loop = loopback.clientLoop
        let server = try await HTTP2Server.start(
            address: "127.0.0.1",
            port: 0,
            context: loopback.serverContext,
            loop: loop,
            limits: .patient
        ) { _ in
            ClosureHandler { _, responder in responder.respond(status: 200) }
        }
        let (events, continuation) = AsyncStream.makeStream(of: HTTP2ClientEvent.self)
        let core = LoopBound(
            HTTP2ClientCore(loop: loop, limits: .patient) { event in continuation.yield(event) },
            to: loop
        )
        let (port, context) = (server.port, loopback.clientContext)
        let failure: TransportError? = await withCheckedContinuation { connected in
            loop.perform {
                core.value.connect(host: "127.0.0.1", port: port, context: context) { connected.resume(returning: $0) }
            }
        }
        #expect(failure == nil)
        await loop.run {
            let deadline = Duration.milliseconds(1_500)
            let end = MonotonicTime.now() + deadline + .milliseconds(100)
            core.value.ping(deadline: deadline)
            // It goes out at the end of this turn: by then its time is over, and the next turn's timers come before the
            // answer.
            while MonotonicTime.now() < end { usleep(10_000) }
        }
        var outcome: HTTP2ClientEvent?
        for await event in events {
            switch event {
            case .pong, .closed: outcome = event
            case .maxConcurrentStreams, .goAway: continue
            }
            break
        }
        if case .pong? = outcome {} else { Issue.record("\(String(describing: outcome))") }
        await loop.run { core.value.close(gracefully: false) }
        await server.close()
    }
}
