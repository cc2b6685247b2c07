import TestSupport

@testable import Networking

/// The client of one case: sends the case's bytes, then probes whether the connection still works.
///
/// PINGs instead of a clock show that the server has no more to send: nghttp2 answers the first ahead of its queued
/// frames, and the second after them.
struct ServerConformanceClient {
    private static let probes = ["begun...", "first...", "second.."]
    /// The stream of the last request, above all that the cases use.
    private static let lastStream: UInt32 = 101

    private let channel: RecordedChannel
    private let test: ServerConformanceCase
    private var unparsed: [UInt8] = []
    private var hasSpoken = false
    private var notes = Notes()

    struct Notes: Sendable {
        fileprivate(set) var greeting: RawFrame?
        /// Frames between the client's bytes and the last probe's answer, or the connection's end.
        fileprivate(set) var frames: [RawFrame] = []
        /// Streams whose answers began, once for each answer.
        fileprivate(set) var answers: [UInt32] = []
        /// True once all probes were answered.
        fileprivate(set) var isSettled = false
        /// True if a request after all that was answered.
        fileprivate(set) var isServed = false
        /// The connection's end at this end; nil: in order.
        fileprivate(set) var end: TransportError?
    }

    static func run(_ test: ServerConformanceCase, _ loopback: Loopback, to port: UInt16) async throws -> Notes {
        let opening = test.preface + test.beginning + ConformanceCase.ping(probes[0])
        let channel = try await RecordedChannel.connect(
            loopback,
            to: port,
            limits: ConformanceClient.patience
        ) { channel in
            // It has just opened, so there is room.
            try? channel.write(opening)
        }
        var client = ServerConformanceClient(channel: channel, test: test)
        return await client.listen()
    }

    private init(channel: RecordedChannel, test: ServerConformanceCase) {
        self.channel = channel
        self.test = test
    }

    private mutating func listen() async -> Notes {
        for await event in channel.events {
            switch event {
            case .received(let piece): receive(piece)
            case .closed(let error): notes.end = error
            // Without a valid preface, no probe will be answered.
            case .opened: if test.preface != RawFrame.preface { speak() }
            case .writable: break
            }
        }
        return notes
    }

    private mutating func receive(_ bytes: [UInt8]) {
        unparsed += bytes
        let frames = RawFrame.parse(unparsed)
        unparsed.removeFirst(frames.reduce(0) { $0 + 9 + $1.payload.count })
        for frame in frames { receive(frame) }
    }

    private mutating func receive(_ frame: RawFrame) {
        if notes.greeting == nil { notes.greeting = frame }
        if hasSpoken, !notes.isSettled { notes.frames.append(frame) }
        switch frame.type {
        case 1 where frame.stream == Self.lastStream:
            notes.isServed = true
            let channel = channel.channel
            channel.loop.perform { channel.value.close() }
        case 1: notes.answers.append(frame.stream)
        case 6 where frame == ConformanceCase.pong(Self.probes[0]): speak()
        case 6 where frame == ConformanceCase.pong(Self.probes[1]): channel.write(ConformanceCase.ping(Self.probes[2]))
        case 6 where frame == ConformanceCase.pong(Self.probes[2]):
            notes.isSettled = true
            // Resets of the case's open streams make room for it.
            let resets = [1, 3, 5, 7, 9].filter { $0 <= test.openedStreamMax }.flatMap { RawFrame.reset(stream: $0) }
            channel.write(resets + RawFrame.request(stream: Self.lastStream, endsStream: true))
        default: break
        }
    }

    private mutating func speak() {
        guard !hasSpoken else { return }
        hasSpoken = true
        channel.write(test.bytes + ConformanceCase.ping(Self.probes[1]))
    }
}

extension ServerConformanceCase {
    /// The highest stream that the case opened; those below it are open or closed, never idle.
    fileprivate var openedStreamMax: UInt32 {
        RawFrame.parse(beginning + bytes).filter { $0.type == 1 }.map(\.stream).max() ?? 0
    }
}

extension ServerConformanceClient.Notes {
    var goAwayCode: UInt32? {
        frames.first { $0.type == 7 && $0.payload.count >= 8 }.map { Self.number($0.payload[4..<8]) }
    }

    func resetCode(of stream: UInt32) -> UInt32? {
        frames.first { $0.type == 3 && $0.stream == stream }.map { Self.number($0.payload[...]) }
    }

    var resetStreams: [UInt32] { frames.filter { $0.type == 3 }.map(\.stream) }

    var pongs: [RawFrame] {
        frames.filter { $0.type == 6 && $0.flags & 1 != 0 && !ServerConformanceClient.isProbe($0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension ServerConformanceClient {
    fileprivate static func isProbe(_ frame: RawFrame) -> Bool {
        probes.contains { frame == ConformanceCase.pong($0) }
    }
}
