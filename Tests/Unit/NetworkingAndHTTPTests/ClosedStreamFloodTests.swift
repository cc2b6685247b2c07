import TestSupport
import Testing

@testable import HTTP
@testable import Networking

/// Frames on closed streams, which nghttp2 drops silently: each counts as a flood's, at a server and at a client.
@Suite struct ClosedStreamFloodTests {
    private static let calm: UInt32 = 11
    private static let allowed = 20
    private let now = MonotonicTime.now()

    private static let settings = {
        var settings = HTTP2Settings()
        settings.idleFrames = FloodLimit(burst: allowed, perSecond: 1)
        settings.resets = FloodLimit(burst: allowed, perSecond: 1)
        // At most four frames are on their way to a stream that is reset.
        settings.initialWindowByteCount = 1 << 14
        return settings
    }()

    /// A frame that a peer repeats on stream 1, and how many of them are no flood.
    struct Flood: CustomTestStringConvertible, Sendable {
        let name: String
        let frame: [UInt8]
        let freeCount: Int
        var testDescription: String { name }
    }

    private static let onReset = [
        Flood(name: "DATA", frame: RawFrame.data(stream: 1, [7]), freeCount: 4),
        Flood(name: "HEADERS", frame: RawFrame.frame(type: 1, flags: 4, stream: 1, [0x88]), freeCount: 4),
    ]

    /// Frames that may still come on a stream that both sides have ended.
    private static let onEnded = [
        Flood(name: "WINDOW_UPDATE", frame: RawFrame.windowUpdate(stream: 1, 1), freeCount: 2),
        Flood(name: "RST_STREAM", frame: RawFrame.reset(stream: 1), freeCount: 1),
    ]

    private func code(of session: HTTP2Session, after frames: [[UInt8]]) throws -> UInt32? {
        for frame in frames where !session.isEnding && session.isAlive { try session.receive(frame, now: now) }
        return try sent(session).first { $0.type == 7 }.map { $0.payload[4..<8].reduce(0) { $0 << 8 | UInt32($1) } }
    }

    private func sent(_ session: HTTP2Session) throws -> [RawFrame] {
        var queue = ByteQueue()
        try session.send(into: &queue, byteCountMax: .max)
        while session.nextEvent() != nil {}
        let bytes = queue.takeAll()
        return RawFrame.parse(bytes.starts(with: "PRI".utf8) ? Array(bytes.dropFirst(24)) : bytes)
    }

    private func expectFlood(_ flood: Flood, _ make: () throws -> HTTP2Session) throws {
        // One is left for the SETTINGS that every peer begins with.
        let few = Array(repeating: flood.frame, count: flood.freeCount + Self.allowed - 1)
        #expect(try code(of: make(), after: few) == nil)
        #expect(try code(of: make(), after: few + Array(repeating: flood.frame, count: 2)) == Self.calm)
    }

    @Test(arguments: onReset)
    func `a client that goes on sending on a stream that was reset is shown out (abuse case 71)`(_ flood: Flood) throws
    {
        try expectFlood(flood) {
            let session = try HTTP2Session(role: .server, settings: Self.settings, now: now)
            try session.receive(RawFrame.preface + RawFrame.request(stream: 1, endsStream: false), now: now)
            try session.reset(0, code: 8)
            _ = try sent(session)
            return session
        }
    }

    @Test(arguments: onEnded)
    func `what a client may still send on a stream that is over counts (abuse case 71)`(_ flood: Flood) throws {
        try expectFlood(flood) {
            let session = try HTTP2Session(role: .server, settings: Self.settings, now: now)
            try session.receive(RawFrame.preface + RawFrame.request(stream: 1, endsStream: true), now: now)
            try session.submitResponse(0, status: 200, headers: HeaderBlock(), body: .bytes([1]))
            _ = try sent(session)
            return session
        }
    }

    private func client() throws -> HTTP2Session {
        let session = try HTTP2Session(role: .client, settings: Self.settings, now: now)
        try session.receive(RawFrame.settings, now: now)
        _ = try session.submitRequest(HTTP2Request.post("/").headers, body: [1])
        _ = try sent(session)
        return session
    }

    @Test(arguments: onReset)
    func `a server that goes on sending on a stream that was reset is left`(_ flood: Flood) throws {
        try expectFlood(flood) {
            let session = try client()
            try session.reset(0, code: 8)
            _ = try sent(session)
            return session
        }
    }

    @Test(arguments: onEnded)
    func `what a server may still send on a stream that is over counts`(_ flood: Flood) throws {
        try expectFlood(flood) {
            let session = try client()
            try session.receive(RawFrame.headers(stream: 1, status: "200", endsStream: true), now: now)
            _ = try sent(session)
            return session
        }
    }
}
