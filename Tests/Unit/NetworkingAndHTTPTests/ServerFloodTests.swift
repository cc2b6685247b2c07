import TestSupport
import Testing

@testable import HTTP
@testable import Networking

/// Clients that send much and request little: each gets ENHANCE_YOUR_CALM, and its connection ends.
@Suite struct ServerFloodTests {
    private static let count: UInt32 = 2000

    private static func streams(_ frames: (UInt32) -> [[UInt8]]) -> [UInt8] {
        RawFrame.preface + (0..<count).flatMap { frames(2 * $0 + 1).flatMap { $0 } }
    }

    private static func repeated(_ frame: [UInt8], after beginning: [[UInt8]] = []) -> [UInt8] {
        RawFrame.preface + beginning.flatMap { $0 } + (0..<count).flatMap { _ in frame }
    }

    private func expectCalm(_ conversation: HostileConversation, _ name: String = "") {
        #expect(conversation.goAwayCode == HostileConversation.enhanceYourCalm, "\(name)")
        #expect(conversation.isServerWell, "\(name)")
    }

    @Test func `rapid reset is shown out, and costs little (abuse case 68)`() async throws {
        let conversation = try await HostileConversation.hold(
            Self.streams { [RawFrame.request(stream: $0, endsStream: true), RawFrame.reset(stream: $0)] }
        )
        expectCalm(conversation)
        // The application sees no more than the permitted burst, and what the guard forgives in the seconds that a
        // starved machine takes.
        #expect(conversation.requestCount < Self.count / 2)
    }

    @Test func `a client that resets every stream it has the answer of, as libcurl does, is served (abuse case 68)`()
        async throws
    {
        let streamMax: UInt32 = 2 * 600 - 1
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + RawFrame.request(stream: 1, endsStream: true)
        ) { frame in
            guard frame.type == 1 else { return .nothing }
            guard frame.stream < streamMax else { return .hangUp }
            return .say(
                RawFrame.reset(stream: frame.stream) + RawFrame.request(stream: frame.stream + 2, endsStream: true)
            )
        }
        #expect(conversation.goAwayCode == nil)
        #expect(conversation.answeredStreams.count == 600)
    }

    @Test func `resets of streams that are over count once they outnumber the answers (abuse case 68)`() async throws {
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + RawFrame.request(stream: 1, endsStream: true)
        ) { frame in
            guard frame.type == 1 else { return .nothing }
            return .say((0..<Self.count).flatMap { _ in RawFrame.reset(stream: 1) })
        }
        expectCalm(conversation)
    }

    @Test(arguments: [0, 40])
    func `a header block that goes on and on is ended, with fields or without (abuse case 69)`(
        _ fieldCount: Int
    ) async throws {
        let fields = (0..<fieldCount).flatMap { _ in ConformanceCase.field("x-more", String(repeating: "a", count: 90))
        }
        let flood = RawFrame.frame(type: 9, flags: 0, stream: 1, fields)
        let beginning = RawFrame.frame(type: 1, flags: 1, stream: 1, ServerConformanceCase.head)
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + beginning + (0..<400).flatMap { _ in flood }
        )
        expectCalm(conversation)
        #expect(conversation.requestCount == 0)
    }

    @Test(arguments: [0, 100, 4000, 16_000])
    func `no more than 64 KiB of a header block are read (abuse case 69)`(_ byteCount: Int) throws {
        let now = MonotonicTime.now()
        let session = try HTTP2Session(role: .server, settings: HTTP2Settings(), now: now)
        // Literals that HPACK accepts: a name of one byte and an empty value, again and again.
        let fields = Array([[UInt8]](repeating: [0, 1, 0x78, 0], count: byteCount / 4).joined())
        let frame = RawFrame.frame(type: 9, flags: 0, stream: 1, fields)
        try session.receive(
            RawFrame.preface + RawFrame.frame(type: 1, flags: 1, stream: 1, ServerConformanceCase.head),
            now: now
        )
        var readByteCount = 0
        while !session.isEnding, readByteCount < 1 << 20 {
            readByteCount += frame.count
            try session.receive(frame, now: now)
        }
        #expect(readByteCount < 64 << 10)
        var queue = ByteQueue()
        try session.send(into: &queue, byteCountMax: .max)
        #expect(RawFrame.parse(queue.takeAll()).contains { $0.type == 7 && $0.payload[7] == 11 })
    }

    @Test(arguments: [
        ("a window of 2^31", [RawFrame.windowUpdate(stream: 1, 0x7FFF_FFFF)]),
        ("a window that grows by nothing", [RawFrame.windowUpdate(stream: 1, 0)]),
        ("more than the content-length", [RawFrame.frame(type: 0, flags: 1, stream: 1, Array("too much".utf8))]),
        ("another head", [RawFrame.frame(type: 1, flags: 4, stream: 1, [0x83])]),
        ("padding beyond the frame", [RawFrame.frame(type: 0, flags: 8, stream: 1, [9, 1])]),
    ])
    func `making us reset streams is shown out after a hundred (abuse case 70)`(
        _ name: String,
        _ frames: [[UInt8]]
    ) async throws {
        let head = ServerConformanceCase.head + ConformanceCase.field("content-length", "5")
        let conversation = try await HostileConversation.hold(
            Self.streams { stream in
                let offence = frames.flatMap { $0 }
                // The same frame, on the current stream.
                let number = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) }
                return [
                    RawFrame.frame(type: 1, flags: 4, stream: stream, head), offence[..<5] + number + offence[9...],
                ]
            }
        )
        #expect(
            conversation.goAwayCode == HostileConversation.enhanceYourCalm || conversation.goAwayCode == 1,
            "\(name)"
        )
        #expect(conversation.isServerWell, "\(name)")
        // A burst of a hundred, and what the guard forgives in the seconds that a starved machine takes.
        #expect(conversation.resetCodes.count < Self.count / 2, "\(name)")
        #expect(conversation.requestCount == 0, "\(name)")
    }

    private static let idle: [(String, [[UInt8]])] = [
        ("PING", [RawFrame.ping]),
        ("PING with ACK", [RawFrame.frame(type: 6, flags: 1, stream: 0, [UInt8](repeating: 0, count: 8))]),
        ("SETTINGS", [RawFrame.settings]),
        ("PRIORITY", [RawFrame.priority]),
        ("empty DATA", [RawFrame.data(stream: 1, [])]),
        ("DATA with padding alone", [RawFrame.frame(type: 0, flags: 8, stream: 1, [2, 0, 0])]),
        ("WINDOW_UPDATE of the connection", [RawFrame.windowUpdate(stream: 0, 1)]),
        ("WINDOW_UPDATE of a stream", [RawFrame.windowUpdate(stream: 1, 1)]),
        ("an unknown type", [RawFrame.frame(type: 0x16, flags: 0, stream: 0, [])]),
    ]

    @Test(arguments: idle)
    func `frames that carry nothing are answered for a while (abuse case 71)`(
        _ name: String,
        _ frames: [[UInt8]]
    ) async throws {
        let conversation = try await HostileConversation.hold(
            Self.repeated(
                frames.flatMap { $0 },
                after: [RawFrame.request(stream: 1, endsStream: false)]
            )
        )
        expectCalm(conversation, name)
        #expect(conversation.frames.count < Self.count / 2, "\(name)")
    }

    /// nghttp2 asserts that an ended session reads no more, and reads on if it is ended within a callback
    /// (CVE-2026-27135).
    @Test(arguments: idle)
    func `a flood with a malformed frame behind it, in one piece, ends no more than the connection`(
        _ name: String,
        _ frames: [[UInt8]]
    ) throws {
        let now = MonotonicTime.now()
        let session = try HTTP2Session(role: .server, settings: HTTP2Settings(), now: now)
        try session.receive(RawFrame.preface + RawFrame.request(stream: 1, endsStream: false), now: now)
        let flood = (0..<Self.count).flatMap { _ in frames.flatMap { $0 } }
        try session.receive(flood + RawFrame.frame(type: 6, flags: 0, stream: 0, [1]), now: now)
        var queue = ByteQueue()
        try session.send(into: &queue, byteCountMax: .max)
        let goAway = try #require(RawFrame.parse(queue.takeAll()).first { $0.type == 7 }, "\(name)")
        // nghttp2's own counts may wait until it has read the piece, and its own error comes first then.
        let frameSizeError = UInt8(ConformanceCase.ErrorCode.frameSizeError.rawValue)
        #expect([HostileConversation.enhanceYourCalm, frameSizeError].contains(goAway.payload[7]))
        #expect(session.isEnding)
    }

    @Test func `DATA for a stream that the client has ended ends the connection (abuse case 71)`() async throws {
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + RawFrame.request(stream: 1, endsStream: true)
        ) { frame in
            guard frame.type == 1 else { return .nothing }
            return .say((0..<Self.count).flatMap { _ in RawFrame.data(stream: 1, []) })
        }
        #expect(conversation.goAwayCode.map(UInt32.init) == ConformanceCase.ErrorCode.streamClosed.rawValue)
        #expect(conversation.isServerWell)
    }

    @Test func `whoever takes long answers through small windows is no flood`() async throws {
        let byteCount = 100_000
        var received = 0
        let conversation = try await HostileConversation.hold(
            RawFrame.preface + ConformanceCase.settings(4, 100) + RawFrame.request(stream: 1, endsStream: true),
            answerByteCount: byteCount
        ) { frame in
            guard frame.type == 0 else { return .nothing }
            received += frame.payload.count
            let size = UInt32(frame.payload.count)
            guard frame.flags & 1 == 0, size > 0 else { return .hangUp }
            return .say(RawFrame.windowUpdate(stream: 1, size) + RawFrame.windowUpdate(stream: 0, size))
        }
        #expect(conversation.goAwayCode == nil)
        #expect(received == byteCount)
    }
}
