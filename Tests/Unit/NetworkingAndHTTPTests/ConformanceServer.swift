import TestSupport

@testable import Networking

/// The server of one case, at its end of the wire: waits for the request, misbehaves, and records the client's
/// reaction.
///
/// Two PINGs instead of a clock show that the client has no more to send: nghttp2 answers the first ahead of its queued
/// frames, and the second after them.
struct ConformanceServer {
    private static let probes = ["first...", "second.."]

    private let channel: RecordedChannel
    private let test: ConformanceCase
    private var unparsed: [UInt8] = []
    private var prefaceByteCount = 24
    private var hasSpoken = false
    /// Streams that have their whole request and no answer yet.
    private var owed: [UInt32] = []
    private var notes = Notes()

    struct Notes: Sendable {
        /// Frames between the misbehaviour and the second probe's answer, or the connection's end.
        fileprivate(set) var frames: [RawFrame] = []
        /// True once both probes were answered: the connection still works.
        fileprivate(set) var isSettled = false
        fileprivate(set) var streams: Set<UInt32> = []
        /// The connection's end at this end; nil: in order.
        fileprivate(set) var end: TransportError?
    }

    init(_ channel: RecordedChannel, _ test: ConformanceCase) {
        self.channel = channel
        self.test = test
    }

    mutating func run() async -> Notes {
        for await event in channel.events {
            switch event {
            case .received(let piece): receive(piece)
            case .closed(let error): notes.end = error
            case .opened, .writable: break
            }
        }
        return notes
    }

    private mutating func receive(_ bytes: [UInt8]) {
        let skipped = min(prefaceByteCount, bytes.count)
        prefaceByteCount -= skipped
        unparsed += bytes[skipped...]
        let frames = RawFrame.parse(unparsed)
        unparsed.removeFirst(frames.reduce(0) { $0 + 9 + $1.payload.count })
        for frame in frames { receive(frame) }
    }

    private mutating func receive(_ frame: RawFrame) {
        if hasSpoken, !notes.isSettled { notes.frames.append(frame) }
        switch frame.type {
        case 0, 1: receiveRequest(frame)
        case 6 where frame == ConformanceCase.pong(Self.probes[0]): channel.write(ConformanceCase.ping(Self.probes[1]))
        case 6 where frame == ConformanceCase.pong(Self.probes[1]): settle()
        default: break
        }
    }

    private mutating func receiveRequest(_ frame: RawFrame) {
        notes.streams.insert(frame.stream)
        guard frame.flags & 1 != 0 else { return }
        guard hasSpoken else {
            hasSpoken = true
            if test.ending == .answeredLater { owed.append(frame.stream) }
            return channel.write(test.speech + ConformanceCase.ping(Self.probes[0]))
        }
        owed.append(frame.stream)
        if notes.isSettled { answer() }
    }

    private mutating func settle() {
        notes.isSettled = true
        answer()
    }

    private mutating func answer() {
        for stream in owed { channel.write(ConformanceCase.answer(stream: stream, endsStream: true)) }
        owed = []
    }
}

extension ConformanceServer.Notes {
    var goAwayCode: UInt32? {
        frames.first { $0.type == 7 && $0.payload.count >= 8 }.map { Self.number($0.payload[4..<8]) }
    }

    var resetCode: UInt32? {
        frames.first { $0.type == 3 && $0.stream == 1 }.map { Self.number($0.payload[...]) }
    }

    var unaskedPongs: [RawFrame] {
        frames.filter { $0.type == 6 && $0.flags & 1 != 0 && !ConformanceServer.isProbe($0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension ConformanceServer {
    fileprivate static func isProbe(_ frame: RawFrame) -> Bool {
        probes.contains { frame == ConformanceCase.pong($0) }
    }
}
