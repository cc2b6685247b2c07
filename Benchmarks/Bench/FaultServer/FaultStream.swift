import APNS
import APNSSimulator

struct FaultStream {
    struct Outgoing {
        var bytes: [UInt8] = []
        var offset = 0
        /// Maximum length of a DATA frame.
        var pieceByteCount = FaultFrame.payloadByteCountMax
        /// Sent after the body; nil if the last DATA frame ends the stream.
        var trailers: FaultFrame?

        var isDone: Bool { offset == bytes.count }
    }

    /// Nil until the request is complete.
    var id: APNSID?
    var request: Int?
    /// The answer, from its first byte on.
    var answer: (status: Int, reason: Reason?)?
    var isProcessed = false
    /// True once the server has begun to answer, or never will.
    var isSettled = false
    /// The client's window for this stream.
    var window: Int
    var outgoing: Outgoing?
}

/// An answer in frames: the head, then as much as flow control allows.
struct FaultAnswer {
    var status: Int
    /// Reason of a rejection in Apple's format.
    var reason: Reason?
    var fields: [(String, [UInt8])]
    var body: [UInt8] = []
    var isInformationalFirst = false
    var isBodyFirst = false
    var isInSingleBytes = false
    var hasTrailers = false

    /// APNs' answer of 200, without a body.
    static func accepted(_ id: APNSID?) -> FaultAnswer {
        FaultAnswer(status: 200, fields: id.map { [("apns-id", $0.text)] } ?? [])
    }

    static func rejected(_ reason: Reason, _ id: APNSID) -> FaultAnswer {
        // In the year 2023: before every run.
        let body = RejectionBody(reason, timestampMilliseconds: 1_700_000_000_000)
        return FaultAnswer(
            status: reason.status,
            reason: reason,
            fields: [("apns-id", id.text), ("content-type", Array("application/json".utf8))],
            body: body.json
        )
    }

    static func rejected(status: Int, _ body: FaultBody, _ id: APNSID) -> FaultAnswer {
        FaultAnswer(status: status, fields: [("apns-id", id.text)], body: body.bytes)
    }

    /// Frames sent without regard to flow control.
    func heads(on streamID: Int32) -> [FaultFrame] {
        var frames: [FaultFrame] = []
        if isInformationalFirst {
            frames.append(.headers(streamID, [(":status", Array("103".utf8))], endsStream: false))
        }
        if isBodyFirst { frames.append(FaultFrame(.data, streamID: streamID, Array("body".utf8))) }
        let endsStream = body.isEmpty && !hasTrailers
        frames.append(.headers(streamID, [(":status", Array("\(status)".utf8))] + fields, endsStream: endsStream))
        return frames
    }

    /// The rest after them; nil for none.
    func outgoing(on streamID: Int32) -> FaultStream.Outgoing? {
        guard !body.isEmpty || hasTrailers else { return nil }
        return FaultStream.Outgoing(
            bytes: body,
            pieceByteCount: isInSingleBytes ? 1 : FaultFrame.payloadByteCountMax,
            trailers: hasTrailers
                ? .headers(streamID, [("x-trailer", Array("last".utf8))], endsStream: true) : nil
        )
    }
}

extension FaultBody {
    var bytes: [UInt8] {
        switch self {
        case .empty: []
        case .notJSON: Array("<html>503</html>".utf8)
        case .unknownReason: Array(#"{"reason":"NoSuchReason"}"#.utf8)
        case .hugeReason:
            Array(#"{"reason":""#.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000) + Array(#""}"#.utf8)
        }
    }
}
