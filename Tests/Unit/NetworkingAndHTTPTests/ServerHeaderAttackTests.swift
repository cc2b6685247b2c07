import TestSupport
import Testing

@testable import HTTP

/// Header blocks that are larger than they look; `HTTP2ServerConformanceTests` has those that break the rules.
@Suite struct ServerHeaderAttackTests {
    private func send(_ block: [UInt8], settings: HTTP2Settings = HTTP2Settings()) async throws -> HostileConversation {
        var limits = HostileConversation.patientLimits
        limits.settings = settings
        return try await HostileConversation.hold(
            RawFrame.preface + RawFrame.frame(type: 1, flags: 5, stream: 1, block)
                + RawFrame.request(stream: 3, endsStream: true),
            limits: limits
        ) { $0.stream == 3 || $0.type == 7 ? .hangUp : .nothing }
    }

    private let indexed: [UInt8] =
        [0x40, 5] + Array("x-big".utf8) + [0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x61, count: 4000)

    @Test func `a block that stands for megabytes costs its stream, and the table stays whole (abuse case 73)`()
        async throws
    {
        // One field of 4,000 bytes, and ten thousand times the same: a byte each.
        let conversation = try await send(
            ServerConformanceCase.head + indexed + [UInt8](repeating: 0xBE, count: 10_000)
        )
        #expect(conversation.resetCodes == [HostileConversation.enhanceYourCalm])
        #expect(conversation.answeredStreams == [3])
        #expect(conversation.isServerWell)
    }

    @Test func `ten thousand fields cost their stream (abuse case 73)`() async throws {
        // accept-encoding: gzip, deflate is entry 16 of the static table.
        let conversation = try await send(ServerConformanceCase.head + [UInt8](repeating: 0x90, count: 10_000))
        #expect(conversation.resetCodes == [HostileConversation.enhanceYourCalm])
        #expect(conversation.answeredStreams == [3])
    }

    @Test(arguments: [120, 300])
    func `more fields or bytes than are announced are answered with 431 (abuse case 73)`(_ count: Int) async throws {
        let fields = (0..<count).flatMap { _ in ConformanceCase.field("x", "1") }
        let conversation = try await send(ServerConformanceCase.head + fields)
        #expect(conversation.answeredStreams == [1, 3])
        #expect(conversation.resetCodes.isEmpty)
        let status = conversation.frames.first { $0.type == 1 && $0.stream == 1 }?.payload
        // A literal: 431 is not in the static table.
        #expect(status.map { String(decoding: $0, as: UTF8.self).contains("431") || $0.contains(0x82) } == true)
        #expect(conversation.requestCount == 1)
    }

    @Test func `a name in upper case ends the connection where that is set (abuse case 73)`() async throws {
        var settings = HTTP2Settings()
        settings.upperCaseGoAway = Array("lower case".utf8)
        let conversation = try await send(
            ServerConformanceCase.head + ConformanceCase.field("Apns-Topic", "x"),
            settings: settings
        )
        #expect(conversation.goAwayCode == 1)
        #expect(conversation.frames.contains { $0.type == 7 && $0.payload[8...].elementsEqual("lower case".utf8) })
        #expect(conversation.requestCount == 0)
    }

    @Test func `other malformed fields cost their stream alone where that is set (abuse case 73)`() async throws {
        var settings = HTTP2Settings()
        settings.upperCaseGoAway = Array("lower case".utf8)
        // A value in upper case behind a bad name does not matter.
        let conversation = try await send(
            ServerConformanceCase.head + ConformanceCase.field("connection", "name: [A]"),
            settings: settings
        )
        #expect(conversation.resetCodes == [1])
        #expect(conversation.answeredStreams == [3])
    }

    @Test func `a client's table of no bytes is obeyed`() async throws {
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + ConformanceCase.settings(1, 0) + RawFrame.request(stream: 1, endsStream: true),
            answerByteCount: 10
        ) { $0.flags & 1 != 0 && $0.stream == 1 ? .hangUp : .nothing }
        let head = try #require(conversation.frames.first { $0.type == 1 }).payload
        // The table's new size, then :status 200 without indexing (RFC 7541 sections 6.3, 6.2.1).
        #expect(head.first == 0x20)
        #expect(head.dropFirst().first == 0x88)
        #expect(!head.dropFirst(2).contains { $0 & 0xC0 == 0x40 })
    }

    @Test func `a client that goes beyond the limit it knows is shown out where that is set`() async throws {
        var limits = HostileConversation.patientLimits
        limits.settings.maxConcurrentStreams = 1
        limits.settings.excessStreamGoAway = Array("too many".utf8)
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + RawFrame.settingsAcknowledgement
                + RawFrame.request(stream: 1, endsStream: false) + RawFrame.request(stream: 3, endsStream: true),
            limits: limits
        )
        #expect(conversation.goAwayCode == 1)
        #expect(conversation.frames.contains { $0.type == 7 && $0.payload[8...].elementsEqual("too many".utf8) })
        #expect(conversation.requestCount == 0)
    }

    @Test func `streams beyond the limit, again and again, are a flood`() async throws {
        var limits = HostileConversation.patientLimits
        limits.settings.maxConcurrentStreams = 1
        let excess = (1...1000).flatMap { RawFrame.request(stream: 2 * $0 + 1, endsStream: true) }
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + RawFrame.settingsAcknowledgement + RawFrame.request(stream: 1, endsStream: false)
                + excess,
            limits: limits
        )
        #expect(conversation.goAwayCode == HostileConversation.enhanceYourCalm)
        #expect(conversation.requestCount == 0)
    }
}
