import TestSupport
import Testing

/// One act of a server towards a client that waits for its answer, and the client's required reaction.
///
/// The first 57 are h2specd's list, in its order, written anew from the sections that they come from.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    /// The server's frames on stream 1 before it sends `bytes`.
    enum Beginning {
        case nothing, head, whole
    }

    enum Demand: Sendable {
        /// GOAWAY with one of the codes, then the connection's end.
        case connectionError([ErrorCode])
        /// RST_STREAM with one of the codes; a connection error may always stand in for it (RFC 9113 section 5.4.2).
        case streamError([ErrorCode])
        /// No answer, and the connection still works.
        case goesOn
        /// SETTINGS are acknowledged, and the connection still works.
        case acknowledges
        /// A PING with this payload is answered, and the connection still works. Static: the address of a frame's bytes
        /// would carry the case's number, and the leak checker would not recognise it.
        case answersPing(StaticString)

        /// The required answer, beside errors.
        var answer: RawFrame? {
            switch self {
            case .acknowledges: ConformanceCase.acknowledgement
            case .answersPing(let payload): ConformanceCase.pong(payload.description)
            case .connectionError, .streamError, .goesOn: nil
            }
        }
    }

    /// End of the request on stream 1.
    enum Ending {
        /// The bytes hold a whole answer.
        case answered
        /// The server has seen it, and will never answer.
        case ambiguous
        /// The server answers it after it has seen the client's reaction.
        case answeredLater
    }

    /// The client's reaction where it differs from the demand.
    struct Leniency: Sendable {
        let does: Demand
        /// The reason why it may stay so.
        let reason: String
    }

    /// RFC 9113 section 7.
    enum ErrorCode: UInt32, Sendable {
        case protocolError = 1
        case flowControlError = 3
        case streamClosed = 5
        case frameSizeError = 6
        case refusedStream = 7
        case cancel = 8
        case compressionError = 9
    }

    /// Section of RFC 9113.
    let section: String
    /// The server's act.
    let sentence: String
    let beginning: Beginning
    let bytes: [UInt8]
    let demand: Demand
    let ending: Ending
    /// Nil where the client meets the demand.
    let leniency: Leniency?

    init(
        _ section: String,
        _ sentence: String,
        after beginning: Beginning = .nothing,
        _ frames: [[UInt8]],
        _ demand: Demand,
        _ ending: Ending? = nil,
        leniency: Leniency? = nil
    ) {
        self.section = section
        self.sentence = sentence
        self.beginning = beginning
        bytes = frames.flatMap { $0 }
        self.demand = demand
        self.ending = ending ?? Self.ending(after: beginning, demand)
        self.leniency = leniency
    }

    private static func ending(after beginning: Beginning, _ demand: Demand) -> Ending {
        switch (beginning, demand) {
        case (.whole, _): .answered
        case (_, .connectionError), (_, .streamError): .ambiguous
        case (_, .goesOn), (_, .acknowledges), (_, .answersPing): .answeredLater
        }
    }

    /// The reaction that the test expects.
    var expected: Demand { leniency?.does ?? demand }

    var speech: [UInt8] {
        switch beginning {
        case .nothing: bytes
        case .head: Self.answer(endsStream: false) + bytes
        case .whole: Self.answer(endsStream: true) + bytes
        }
    }

    /// True if the server itself resets stream 1 first.
    var resetsFirst: Bool { RawFrame.parse(bytes).first == RawFrame.parse(RawFrame.reset(stream: 1)).first }

    var testDescription: String { "\(section): \(sentence)" }
}

extension ConformanceCase {
    static func answer(stream: UInt32 = 1, endsStream: Bool) -> [UInt8] {
        RawFrame.headers(stream: stream, status: "200", endsStream: endsStream)
    }

    /// The head of an answer whose block continues in a CONTINUATION.
    static func openAnswer(endsStream: Bool) -> [UInt8] {
        RawFrame.frame(type: 1, flags: endsStream ? 1 : 0, stream: 1, [0x88])
    }

    /// One more field of a block.
    static func continuation(stream: UInt32 = 1, endsBlock: Bool) -> [UInt8] {
        RawFrame.frame(type: 9, flags: endsBlock ? 4 : 0, stream: stream, field("x-more", "1"))
    }

    static func lastData(stream: UInt32 = 1, _ bytes: [UInt8] = Array("test".utf8)) -> [UInt8] {
        RawFrame.frame(type: 0, flags: 1, stream: stream, bytes)
    }

    /// A literal without indexing (RFC 7541 section 6.2.2); both parts are shorter than 127 bytes.
    static func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    static func settings(_ id: UInt8, _ value: UInt32) -> [UInt8] {
        let value = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        return RawFrame.frame(type: 4, flags: 0, stream: 0, [0, id] + value)
    }

    static func ping(_ payload: String, flags: UInt8 = 0, stream: UInt32 = 0) -> [UInt8] {
        RawFrame.frame(type: 6, flags: flags, stream: stream, Array(payload.utf8))
    }

    static func pong(_ payload: String) -> RawFrame {
        RawFrame(type: 6, flags: 1, stream: 0, payload: Array(payload.utf8))
    }
}
