import APNS
import APNSSimulator

/// One stream, as the fault server sees it.
struct FaultStream {
    /// What is left to send.
    struct Outgoing {
        var bytes: [UInt8] = []
        var offset = 0
        /// DATA frames are not longer.
        var pieceByteCount = FaultFrame.payloadByteCountMax
        /// Come after the body; nil: the last DATA frame ends the stream.
        var trailers: FaultFrame?

        var isDone: Bool { offset == bytes.count }
    }

    /// Nil until the request is complete.
    var id: APNSID?
    /// Its place in the ledger, from then on.
    var request: Int?
    /// What is being answered, from its first byte on.
    var answer: (status: Int, reason: Reason?)?
    var isProcessed = false
    /// The server has begun to answer, or never will.
    var isSettled = false
    /// What the client lets us send on it.
    var window: Int
    var outgoing: Outgoing?
}

/// An answer in frames: the head, then what flow control lets through.
struct FaultAnswer {
    var status: Int
    /// Of a rejection as Apple writes it.
    var reason: Reason?
    var fields: [(String, [UInt8])]
    var body: [UInt8] = []
    var isInformationalFirst = false
    var isBodyFirst = false
    var isInSingleBytes = false
    var hasTrailers = false

    /// What APNs answers: 200 without a body, or a reason.
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

    /// The frames that flow control does not hold back.
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

    /// What comes after them; nil: nothing.
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
