import Synchronization
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

struct HostileConversation: Sendable {
    enum Reply {
        case nothing
        case say([UInt8])
        case hangUp
    }

    private(set) var frames: [RawFrame] = []
    private(set) var requestCount = 0
    private(set) var isServerWell = false

    /// No deadline may fire on a starved machine.
    static let patientLimits: HTTP2ServerLimits = {
        var limits = HTTP2ServerLimits()
        limits.channel = ConformanceClient.patience
        (limits.requestDeadline, limits.responseDeadline, limits.idleDeadline, limits.drainDeadline) =
            (.seconds(600), .seconds(600), .seconds(600), .seconds(600))
        return limits
    }()

    /// Runs until the connection's end.
    ///
    /// - Parameters:
    ///   - bytes: the client's, after the handshake.
    ///   - answerByteCount: length of every answer's body.
    ///   - reply: the client's bytes in reply to each frame.
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
                // More than a channel queues: the test sends too much.
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

    /// True if another client is served. The test's short deadlines hold for it too, and a starved machine may miss
    /// some.
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
    /// RFC 9113 section 7: the server accepts no more of this.
    static let enhanceYourCalm: UInt8 = 11

    /// The last byte of the first GOAWAY's code; nil without one.
    var goAwayCode: UInt8? { frames.first { $0.type == 7 }?.payload[7] }

    var resetCodes: [UInt8] { frames.filter { $0.type == 3 }.map { $0.payload[3] } }

    var answeredStreams: [UInt32] { frames.filter { $0.type == 1 }.map(\.stream) }

    var bodyByteCount: Int { frames.filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count } }
}
