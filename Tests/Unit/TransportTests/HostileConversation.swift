import Synchronization
import TestSupport
import Testing

@testable import Transport

/// A client that says whatever it likes to our server, over TLS, and what came of it.
struct HostileConversation: Sendable {
    enum Reply {
        case nothing
        case say([UInt8])
        case hangUp
    }

    /// All that the server said.
    private(set) var frames: [RawFrame] = []
    /// How many requests reached the application.
    private(set) var requestCount = 0
    /// Whether somebody else was served afterwards.
    private(set) var isServerWell = false

    /// A starved machine must not end what a test does not want to end.
    static let patientLimits: HTTP2ServerLimits = {
        var limits = HTTP2ServerLimits()
        limits.channel = ConformanceClient.patience
        (limits.requestDeadline, limits.responseDeadline, limits.idleDeadline, limits.drainDeadline) =
            (.seconds(600), .seconds(600), .seconds(600), .seconds(600))
        return limits
    }()

    /// Until the connection's end.
    ///
    /// - Parameters:
    ///   - bytes: what the client says after the handshake.
    ///   - limits: the server's.
    ///   - answerByteCount: how long every answer's body is.
    ///   - reply: what the client says to each frame.
    /// - Returns: what was said, and what came of it.
    /// - Throws: when nobody can listen or connect.
    static func hold(
        _ bytes: [UInt8],
        limits: HTTP2ServerLimits = patientLimits,
        answerByteCount: Int = 0,
        reply: (RawFrame) -> Reply = { _ in .nothing }
    ) async throws -> HostileConversation {
        let loopback = try Loopback()
        let requests = Gauge()
        let server = try await loopback.serve(limits: limits) { _, responder in
            requests.count.add(1, ordering: .relaxed)
            responder.respond(status: 200, body: [UInt8](repeating: 1, count: answerByteCount))
        }
        let client = try await RecordedChannel.connect(
            loopback,
            to: server.port,
            limits: ConformanceClient.patience
        ) { channel in
            do throws(TransportError) {
                try channel.write(bytes)
            } catch {
                // More than a channel queues: the test asks for too much.
                channel.abort(error)
            }
        }
        var conversation = HostileConversation()
        await conversation.listen(client, reply)
        conversation.requestCount = requests.count.load(ordering: .relaxed)
        conversation.isServerWell = await isWell(server, loopback)
        await server.close()
        return conversation
    }

    /// Whether somebody else is served. The test's short deadlines are his too, and a starved machine may miss some.
    private static func isWell(_ server: HTTP2Server, _ loopback: Loopback) async -> Bool {
        for _ in 0..<100 {
            guard let other = try? await loopback.connect(to: server.port) else { continue }
            let status = try? await other.send(.post("/")).status
            await other.close()
            if status == 200 { return true }
        }
        return false
    }

    private mutating func listen(_ client: RecordedChannel, _ reply: (RawFrame) -> Reply) async {
        var unparsed: [UInt8] = []
        for await event in client.events {
            guard case .received(let piece) = event else { continue }
            unparsed += piece
            let new = RawFrame.parse(unparsed)
            unparsed.removeFirst(new.reduce(0) { $0 + 9 + $1.payload.count })
            frames += new
            for frame in new {
                switch reply(frame) {
                case .nothing: break
                case .say(let bytes): client.write(bytes)
                case .hangUp: client.channel.loop.perform { client.channel.value.close() }
                }
            }
        }
    }

    private final class Gauge: Sendable {
        let count = Atomic<Int>(0)
    }
}

extension HostileConversation {
    /// RFC 9113 section 7: the server will hear no more of this.
    static let enhanceYourCalm: UInt8 = 11

    /// The last byte of the first GOAWAY's code; nil: none came.
    var goAwayCode: UInt8? { frames.first { $0.type == 7 }?.payload[7] }

    /// The codes of all RST_STREAM frames.
    var resetCodes: [UInt8] { frames.filter { $0.type == 3 }.map { $0.payload[3] } }

    /// The streams whose answers began.
    var answeredStreams: [UInt32] { frames.filter { $0.type == 1 }.map(\.stream) }

    var bodyByteCount: Int { frames.filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count } }
}
