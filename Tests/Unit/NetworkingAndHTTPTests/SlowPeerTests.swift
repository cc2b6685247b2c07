import Networking
import TestSupport
import Testing

@testable import HTTP

/// Clients within the protocol's letter that make no progress: each meets a deadline.
@Suite struct SlowPeerTests {
    /// Sends `frames` after the handshake, acknowledges nothing, and returns the server's frames up to its close.
    private func converse(
        _ frames: [[UInt8]],
        limits: HTTP2ServerLimits,
        until isEnough: @escaping @Sendable ([RawFrame]) -> Bool = { _ in false }
    ) async throws -> [RawFrame] {
        let loopback = try Loopback()
        let server = try await loopback.serve(limits: limits) { _, responder in
            responder.respond(status: 200, body: [UInt8](repeating: 1, count: 100_000))
        }
        let bytes = frames.flatMap { $0 }
        let client = try await RecordedChannel.connect(loopback, to: server.port) { channel in
            #expect(throws: Never.self) { try channel.write(bytes) }
        }
        var received: [UInt8] = []
        for await event in client.events {
            guard case .received(let piece) = event else { continue }
            received += piece
            if isEnough(RawFrame.parse(received)) { await client.channel.loop.run { client.channel.value.close() } }
        }
        await server.close()
        return RawFrame.parse(received)
    }

    private func limits(_ change: (inout HTTP2ServerLimits) -> Void) -> HTTP2ServerLimits {
        var limits = HTTP2ServerLimits.patient
        change(&limits)
        return limits
    }

    private static func isReset(_ frame: RawFrame) -> Bool {
        frame.type == 3 && frame.stream == 1
    }

    @Test func `a body that does not come is given up, the connection is not`() async throws {
        let frames = try await converse(
            [RawFrame.preface, RawFrame.request(stream: 1, endsStream: false)],
            limits: limits { $0.requestDeadline = .milliseconds(40) }
        ) { $0.contains(where: Self.isReset) }
        #expect(frames.contains(where: Self.isReset))
        #expect(!frames.contains { $0.type == 7 })
    }

    @Test func `a header block that does not end ends the connection`() async throws {
        let unfinished = RawFrame.frame(type: 1, flags: 1, stream: 1, [0x83])
        let frames = try await converse(
            [RawFrame.preface, unfinished],
            limits: limits { $0.requestDeadline = .milliseconds(40) }
        )
        #expect(!frames.contains(where: Self.isReset))
    }

    @Test func `a response that nobody reads is given up`() async throws {
        let frames = try await converse(
            [RawFrame.preface, RawFrame.request(stream: 1, endsStream: true)],
            limits: limits { $0.responseDeadline = .milliseconds(40) }
        ) { $0.contains(where: Self.isReset) }
        #expect(frames.contains { $0.type == 1 && $0.stream == 1 })
        // The protocol's default window, which the client never enlarged.
        #expect(frames.filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count } == 65_535)
        #expect(frames.contains(where: Self.isReset))
    }

    @Test func `a connection without a preface is shown out`() async throws {
        let frames = try await converse([], limits: limits { $0.channel.handshakeDeadline = .milliseconds(200) })
        #expect(!frames.contains { $0.type == 7 })
    }

    @Test func `a connection without a request says goodbye after its idle deadline`() async throws {
        let frames = try await converse(
            [RawFrame.preface],
            limits: limits { $0.idleDeadline = .milliseconds(40) }
        )
        #expect(frames.contains { $0.type == 7 && $0.payload[4...].allSatisfy { $0 == 0 } })
    }

    @Test func `a flood over a real connection hears ENHANCE_YOUR_CALM`() async throws {
        let frames = try await converse(
            [RawFrame.preface] + Array(repeating: RawFrame.ping, count: 1000),
            limits: HTTP2ServerLimits.patient
        )
        #expect(frames.contains { $0.type == 7 && $0.payload[7] == 11 })
        // A burst of 200, and what the guard forgives in the seconds that a starved machine takes.
        #expect(frames.filter { $0.type == 6 }.count < 800)
    }
}
