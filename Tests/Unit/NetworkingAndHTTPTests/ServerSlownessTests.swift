import Networking
import TestSupport
import Testing

@testable import HTTP

@Suite struct ServerSlownessTests {
    /// Short where the test waits for it; it can only come late.
    private static let short = Duration.milliseconds(40)
    private static let cancel: UInt8 = 8

    private func limits(_ change: (inout HTTP2ServerLimits) -> Void) -> HTTP2ServerLimits {
        var limits = HostileConversation.patientLimits
        change(&limits)
        return limits
    }

    @Test func `answers that nobody has a window for are given up, each of them (abuse case 72)`() async throws {
        var resetCount = 0
        let requests = (0..<50).flatMap { RawFrame.request(stream: 2 * $0 + 1, endsStream: true) }
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + ConformanceCase.settings(4, 0) + requests,
            limits: limits { $0.responseDeadline = Self.short },
            answerByteCount: 10
        ) { frame in
            if frame.type == 3 { resetCount += 1 }
            return resetCount == 50 ? .hangUp : .nothing
        }
        #expect(conversation.resetCodes == [UInt8](repeating: Self.cancel, count: 50))
        #expect(conversation.bodyByteCount == 0)
        #expect(conversation.isServerWell)
    }

    @Test func `a window that opens byte by byte moves no deadline (abuse case 72)`() async throws {
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + ConformanceCase.settings(4, 1) + RawFrame.request(stream: 1, endsStream: true),
            limits: limits { $0.responseDeadline = Self.short },
            answerByteCount: 1 << 20
        ) { frame in
            switch frame.type {
            case 0: .say(RawFrame.windowUpdate(stream: 1, 1))
            case 3: .hangUp
            default: .nothing
            }
        }
        #expect(conversation.resetCodes == [Self.cancel])
        #expect(conversation.bodyByteCount < 1 << 20)
        #expect(conversation.isServerWell)
    }

    @Test func `a body that comes byte by byte moves no deadline (abuse case 72)`() async throws {
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + RawFrame.request(stream: 1, endsStream: false) + RawFrame.data(stream: 1, [1])
                + ConformanceCase.ping("byte...."),
            limits: limits { limits in
                limits.requestDeadline = Self.short
                limits.settings.idleFrames = FloodLimit(burst: 1 << 20, perSecond: 1 << 20)
            }
        ) { frame in
            switch frame.type {
            // The next byte as soon as the last has been taken.
            case 6: .say(RawFrame.data(stream: 1, [1]) + ConformanceCase.ping("byte...."))
            case 3: .hangUp
            default: .nothing
            }
        }
        #expect(conversation.resetCodes == [Self.cancel])
        #expect(conversation.requestCount == 0)
        #expect(conversation.isServerWell)
    }

    @Test(arguments: [ServerConformanceCase.head, ServerConformanceCase.head + ConformanceCase.field("X-Upper", "1")])
    func `a header block that does not end ends the connection, whether it is well-formed or not (abuse case 72)`(
        _ block: [UInt8]
    ) async throws {
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + RawFrame.frame(type: 1, flags: 1, stream: 1, block),
            limits: limits { $0.requestDeadline = Self.short }
        )
        #expect(conversation.requestCount == 0)
        #expect(conversation.isServerWell)
    }

    @Test(arguments: [[], [0x16, 3, 1], [0x16, 3, 1, 0x02, 0x00, 1, 0, 1, 0xFC]] as [[UInt8]])
    func `a TLS handshake that does not go on is given up (abuse case 72)`(_ bytes: [UInt8]) async throws {
        let loopback = try Loopback()
        var limits = HostileConversation.patientLimits
        limits.channel.handshakeDeadline = .milliseconds(200)
        let server = try await loopback.serve(limits: limits) { _, responder in responder.respond(status: 200) }
        let client = try #require(PlainClient.connect(to: server.port))
        client.send(bytes)
        // It ends when the server closes.
        #expect(client.receiveAll().isEmpty)
        await server.close()
    }

    @Test func `a connection ends when its life is over, with the words for it`() async throws {
        let conversation = try await HostileConversation.hold(
            RawFrame.preface,
            limits: limits { limits in
                limits.lifetimeMax = Self.short
                limits.farewells.lifetime = Array("enough".utf8)
                limits.farewells.frameCount = 2
            }
        )
        let goAways = conversation.frames.filter { $0.type == 7 }
        #expect(goAways.count == 2)
        #expect(goAways.allSatisfy { $0.payload[8...].elementsEqual("enough".utf8) && $0.payload[7] == 0 })
    }
}
