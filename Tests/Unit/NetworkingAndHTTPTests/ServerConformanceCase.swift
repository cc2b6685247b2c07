import TestSupport
import Testing

/// One act of a client, and the server's required reaction. The mirror image of `ConformanceCase`.
struct ServerConformanceCase: Sendable, CustomTestStringConvertible {
    typealias Demand = ConformanceCase.Demand
    typealias Leniency = ConformanceCase.Leniency

    /// Section of RFC 9113.
    let section: String
    let sentence: String
    /// The client's preface and first SETTINGS, or a replacement.
    let preface: [UInt8]
    /// Bytes before `bytes`, handled when those come.
    let beginning: [UInt8]
    let bytes: [UInt8]
    /// A connection error without codes: the connection ends, with or without a GOAWAY.
    let demand: Demand
    let stream: UInt32
    /// Streams that are answered, once each; no others are.
    let answered: Set<UInt32>
    /// Nil where the server meets the demand.
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

    /// The reaction that the test expects.
    var expected: Demand { leniency?.does ?? demand }

    var testDescription: String { "\(section): \(sentence)" }
}

extension ServerConformanceCase {
    static let streamCountMax: UInt32 = 4

    /// POST https://x/
    static let head: [UInt8] = [0x83, 0x87, 0x84, 0x01, 1, 0x78]

    static func field(_ name: String, _ value: String) -> [UInt8] {
        ConformanceCase.field(name, value)
    }

    static func whole(_ stream: UInt32 = 1) -> [UInt8] {
        RawFrame.request(stream: stream, endsStream: true)
    }

    static func open(_ stream: UInt32 = 1) -> [UInt8] {
        RawFrame.request(stream: stream, endsStream: false)
    }

    /// HEADERS with END_HEADERS and any block.
    static func block(_ bytes: [UInt8], stream: UInt32 = 1, endsStream: Bool = true) -> [UInt8] {
        RawFrame.frame(type: 1, flags: endsStream ? 5 : 4, stream: stream, bytes)
    }

    /// The beginning of a block that continues in CONTINUATION.
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
