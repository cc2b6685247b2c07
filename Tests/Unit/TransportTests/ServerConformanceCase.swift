import TestSupport
import Testing

/// One thing that a client does, and what the server must do about it. The mirror image of `ConformanceCase`.
struct ServerConformanceCase: Sendable, CustomTestStringConvertible {
    typealias Demand = ConformanceCase.Demand
    typealias Leniency = ConformanceCase.Leniency

    /// Of RFC 9113.
    let section: String
    /// What the client does.
    let sentence: String
    /// The client's preface and its first SETTINGS, or what stands in their place.
    let preface: [UInt8]
    /// What comes before `bytes`, and has been dealt with when they come.
    let beginning: [UInt8]
    let bytes: [UInt8]
    /// A connection error without codes: the connection ends, with or without a GOAWAY.
    let demand: Demand
    /// Which stream a stream error is about.
    let stream: UInt32
    /// The streams that are answered, each of them once, and no others.
    let answered: Set<UInt32>
    /// Nil where the server does as demanded.
    let leniency: Leniency?

    init(
        _ section: String,
        _ sentence: String,
        preface: [UInt8] = RawFrame.preface,
        after beginning: [[UInt8]] = [],
        _ frames: [[UInt8]],
        _ demand: Demand,
        stream: UInt32 = 1,
        answers answered: Set<UInt32> = [],
        leniency: Leniency? = nil
    ) {
        self.section = section
        self.sentence = sentence
        self.preface = preface
        self.beginning = beginning.flatMap { $0 }
        bytes = frames.flatMap { $0 }
        self.demand = demand
        self.stream = stream
        self.answered = answered
        self.leniency = leniency
    }

    /// What the server is held to.
    var expected: Demand { leniency?.does ?? demand }

    var testDescription: String { "\(section): \(sentence)" }
}

/// Frames and blocks that several cases use.
extension ServerConformanceCase {
    /// How many streams the server allows.
    static let streamCountMax: UInt32 = 4

    /// POST https://x/
    static let head: [UInt8] = [0x83, 0x87, 0x84, 0x01, 1, 0x78]

    static func field(_ name: String, _ value: String) -> [UInt8] {
        ConformanceCase.field(name, value)
    }

    /// A request of one frame.
    static func whole(_ stream: UInt32 = 1) -> [UInt8] {
        RawFrame.request(stream: stream, endsStream: true)
    }

    /// A request whose body is still to come.
    static func open(_ stream: UInt32 = 1) -> [UInt8] {
        RawFrame.request(stream: stream, endsStream: false)
    }

    /// HEADERS with END_HEADERS and any block.
    static func block(_ bytes: [UInt8], stream: UInt32 = 1, endsStream: Bool = true) -> [UInt8] {
        RawFrame.frame(type: 1, flags: endsStream ? 5 : 4, stream: stream, bytes)
    }

    /// The beginning of a block that goes on in CONTINUATION.
    static func beginning(stream: UInt32 = 1, endsStream: Bool = true) -> [UInt8] {
        RawFrame.frame(type: 1, flags: endsStream ? 1 : 0, stream: stream, head)
    }

    static func continuation(stream: UInt32 = 1, endsBlock: Bool) -> [UInt8] {
        ConformanceCase.continuation(stream: stream, endsBlock: endsBlock)
    }

    static func lastData(_ stream: UInt32 = 1, _ bytes: [UInt8] = Array("test".utf8)) -> [UInt8] {
        ConformanceCase.lastData(stream: stream, bytes)
    }

    static func settings(_ id: UInt8, _ value: UInt32) -> [UInt8] {
        ConformanceCase.settings(id, value)
    }

    static func ping(_ payload: String, flags: UInt8 = 0, stream: UInt32 = 0) -> [UInt8] {
        ConformanceCase.ping(payload, flags: flags, stream: stream)
    }

    static let malformed = Demand.streamError([.protocolError])
    static let ended = Demand.connectionError([.protocolError])
}
