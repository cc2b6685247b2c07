import TestSupport
import Testing

@testable import HTTP
@testable import Networking

@Suite struct HostilePeerTests {
    private let now = MonotonicTime.now()

    private func receive(_ frames: [[UInt8]], settings: HTTP2Settings = HTTP2Settings()) throws -> RawExchange {
        let session = try HTTP2Session(role: .server, settings: settings, now: now)
        try session.receive((RawFrame.preface + frames.flatMap { $0 }), now: now)
        var events: [HTTP2Session.Event] = []
        while let event = session.nextEvent() { events.append(event) }
        var queue = ByteQueue()
        try session.send(into: &queue, byteCountMax: .max)
        while let event = session.nextEvent() { events.append(event) }
        return RawExchange(events: events, sent: RawFrame.parse(queue.takeAll()), isAlive: session.isAlive)
    }

    @Test(arguments: [
        ("ping", [RawFrame.ping]),
        ("settings", [RawFrame.settings]),
        ("priority", [RawFrame.priority]),
        ("empty data", [RawFrame.data(stream: 1, [])]),
    ])
    func `a flood of frames that carry nothing ends the connection`(_ name: String, _ frames: [[UInt8]]) throws {
        var settings = HTTP2Settings()
        settings.idleFrames = FloodLimit(burst: 20, perSecond: 1)
        let start = [RawFrame.request(stream: 1, endsStream: false)]
        let calm = try receive(start + Array(repeating: frames, count: 18).flatMap { $0 }, settings: settings)
        #expect(!calm.events.contains(.flooded))
        #expect(calm.isAlive)
        let flood = try receive(start + Array(repeating: frames, count: 30).flatMap { $0 }, settings: settings)
        #expect(flood.events.contains(.flooded), "\(name)")
        #expect(flood.goAwayCode == 11)
        #expect(!flood.isAlive)
    }

    @Test func `rapid reset ends the connection`() throws {
        var settings = HTTP2Settings()
        settings.resets = FloodLimit(burst: 20, perSecond: 1)
        let frames = (0..<30).flatMap { index -> [[UInt8]] in
            let stream = UInt32(2 * index + 1)
            return [RawFrame.request(stream: stream, endsStream: true), RawFrame.reset(stream: stream)]
        }
        let exchange = try receive(frames, settings: settings)
        #expect(exchange.events.contains(.flooded))
        #expect(exchange.goAwayCode == 11)
        #expect(try !receive(Array(frames.prefix(30)), settings: settings).events.contains(.flooded))
    }

    @Test func `making us reset ends the connection, too`() throws {
        var settings = HTTP2Settings()
        settings.resets = FloodLimit(burst: 20, perSecond: 1)
        // A window beyond 2^31 - 1 is a stream error: we have to send RST_STREAM.
        let frames = (0..<30).flatMap { index -> [[UInt8]] in
            let stream = UInt32(2 * index + 1)
            return [
                RawFrame.request(stream: stream, endsStream: false),
                RawFrame.windowUpdate(stream: stream, 0x7FFF_FFFF),
            ]
        }
        let session = try HTTP2Session(role: .server, settings: settings, now: now)
        try session.receive(RawFrame.preface, now: now)
        var isFlooded = false
        for frame in frames {
            try session.receive(frame, now: now)
            var queue = ByteQueue()
            try session.send(into: &queue, byteCountMax: .max)
            while let event = session.nextEvent() { isFlooded = isFlooded || event == .flooded }
        }
        #expect(isFlooded)
        #expect(!session.isAlive)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n"])
    func `what is not HTTP/2 is an error`(_ text: String) throws {
        let session = try HTTP2Session(role: .server, settings: HTTP2Settings(), now: now)
        #expect(throws: HTTP2Error.self) { try session.receive(Array(text.utf8), now: now) }
    }

    @Test(
        arguments: [
            ("no method", [0x84, 0x87, 0x01, 1, 0x78]),
            ("a name in upper case", [0x83, 0x87, 0x84, 0x01, 1, 0x78, 0x00, 1, 0x41, 1, 0x62]),
            (
                "a field of HTTP/1.1",
                [0x83, 0x87, 0x84, 0x01, 1, 0x78, 0x00, 10] + Array("connection".utf8) + [1, 0x78]
            ),
        ] as [(String, [UInt8])]
    )
    func `a malformed header block costs its stream, and is over`(_ name: String, _ block: [UInt8]) throws {
        let session = try HTTP2Session(role: .server, settings: HTTP2Settings(), now: now)
        try session.receive(RawFrame.preface + RawFrame.frame(type: 1, flags: 5, stream: 1, block), now: now)
        // A set time would end the connection after the request deadline, however well it works meanwhile.
        #expect(session.headerBlockBegan == nil, "\(name)")
        var queue = ByteQueue()
        try session.send(into: &queue, byteCountMax: .max)
        #expect(RawFrame.parse(queue.takeAll()).contains { $0.type == 3 && $0.stream == 1 }, "\(name)")
        #expect(session.isAlive)
    }

    @Test func `a header block is open until its last frame`() throws {
        let session = try HTTP2Session(role: .server, settings: HTTP2Settings(), now: now)
        try session.receive(RawFrame.preface + RawFrame.frame(type: 1, flags: 1, stream: 1, [0x83, 0x87]), now: now)
        #expect(session.headerBlockBegan == now)
        try session.receive(RawFrame.frame(type: 9, flags: 4, stream: 1, [0x84, 0x01, 1, 0x78]), now: now)
        #expect(session.headerBlockBegan == nil)
    }

    @Test func `an informational response and trailers do not disturb the response`() throws {
        let session = try HTTP2Session(role: .client, settings: HTTP2Settings(), now: now)
        let slot = try session.submitRequest(HTTP2Request.post("/").headers, body: [])
        var queue = ByteQueue()
        try session.send(into: &queue, byteCountMax: .max)
        let frames = [
            RawFrame.settings,
            RawFrame.headers(stream: 1, status: "103", endsStream: false),
            RawFrame.headers(stream: 1, status: "200", endsStream: false),
            RawFrame.data(stream: 1, Array("ok".utf8)),
            RawFrame.frame(type: 1, flags: 5, stream: 1, [0x00, 1] + Array("t".utf8) + [1] + Array("1".utf8)),
        ]
        try session.receive(frames.flatMap { $0 }, now: now)
        #expect(session.nextEvent() == .settings)
        #expect(session.nextEvent() == .message(slot: slot))
        let message = session.takeMessage(slot)
        #expect(message.status == 200)
        #expect(message.headers.count == 0)
        #expect(message.body == Array("ok".utf8))
    }

    @Test func `the guard refills with time, up to its burst`() {
        var flood = FloodGuard(FloodLimit(burst: 2, perSecond: 1), now: now)
        let later = now + .seconds(3600)
        let admitted = [now, now, now, now + .milliseconds(900), now + .milliseconds(1900), later, later, later].map {
            flood.admit(now: $0)
        }
        #expect(admitted == [true, true, false, false, true, true, true, false])
    }

    @Test func `no change of a valid conversation makes the server trap`() throws {
        let seed = RunSeed.here()
        var generator = SeededGenerator(seed: seed)
        let valid =
            RawFrame.preface + RawFrame.request(stream: 1, endsStream: false)
            + RawFrame.data(stream: 1, Array("hello".utf8)) + RawFrame.ping
            + RawFrame.request(stream: 3, endsStream: true) + RawFrame.reset(stream: 1)
            + RawFrame.windowUpdate(stream: 0, 100) + RawFrame.priority
        for _ in 0..<10_000 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 24..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            let session = try HTTP2Session(role: .server, settings: HTTP2Settings(), now: now)
            do throws(HTTP2Error) {
                try session.receive(bytes, now: now)
                while let event = session.nextEvent() {
                    guard case .message(let slot) = event, session.streamID(slot) != 0 else { continue }
                    _ = session.takeMessage(slot)
                    try session.submitResponse(slot, status: 200, headers: HeaderBlock(), body: .bytes([1]))
                }
                var queue = ByteQueue()
                try session.send(into: &queue, byteCountMax: .max)
                let byteCount = queue.byteCount
                #expect(byteCount > 0, "seed \(seed)")
            } catch {}
        }
    }
}

private struct RawExchange {
    let events: [HTTP2Session.Event]
    let sent: [RawFrame]
    let isAlive: Bool

    var goAwayCode: UInt8? {
        sent.first { $0.type == 7 }?.payload[7]
    }
}
