package import APNS

/// What goes wrong with a connection that works so far.
package enum ConnectionFault: Sendable, Equatable {
    case goAway(FaultGoAway)
    case settings(FaultSettings)
    /// Neither reads nor writes any more, as behind a firewall that has forgotten the connection.
    case blackhole
    /// A TCP reset: what the client has sent and nobody read is lost, and so is what was on its way to it.
    case reset
    /// The end of the stream, without TLS's goodbye.
    case cut
    /// TLS's goodbye, without HTTP/2's.
    case close
    /// A fatal TLS alert.
    case alert
    /// A record that does not decrypt.
    case corruptRecord
    /// Does not read for this long.
    case deaf(for: Duration)
}

/// A GOAWAY and what follows it.
package struct FaultGoAway: Sendable, Equatable {
    /// The last stream that it names. Never below one that was acted on: the server lies to nobody.
    package enum Cut: String, Sendable, Equatable, CaseIterable {
        /// The last one that was acted on; 0 where none was.
        case processed
        /// Half-way between the last that was acted on and the last that came.
        case middle
        /// The last one that came.
        case received
        /// One that has not come yet.
        case above
    }

    package enum DebugData: Sendable, Equatable {
        case none
        /// As APNs says it.
        case reason(Reason)
        case notJSON
        /// As much as one frame holds.
        case large
    }

    package var code: UInt32
    package var cut: Cut
    package var debugData: DebugData
    /// First one with the highest number that there is, then, so much later, the real one (RFC 9113 section 6.8).
    package var gracefulDelay: Duration?
    /// Cut off after this long, whatever is still open; nil: when all that may end has ended.
    package var cutDelay: Duration?

    package init(
        code: UInt32 = 0,
        cut: Cut = .received,
        debugData: DebugData = .none,
        gracefulDelay: Duration? = nil,
        cutDelay: Duration? = nil
    ) {
        self.code = code
        self.cut = cut
        self.debugData = debugData
        self.gracefulDelay = gracefulDelay
        self.cutDelay = cutDelay
    }
}

/// Settings that change while requests are in flight.
package enum FaultSettings: Sendable, Equatable {
    /// Another number of streams; those above it are reset with REFUSED_STREAM, or left to end.
    case streams(UInt32, refusesRest: Bool)
    /// No streams for this long, then as many as before.
    case noStreams(for: Duration)
    /// Streams whose window is 0 for this long.
    case windowShut(for: Duration)
    /// No dynamic table (RFC 7541 section 4.2).
    case noHeaderTable
    /// So many frames in a row, each with another number of streams; the last is the one that was.
    case storm(count: Int)
}

/// What goes wrong with one request. Whether it was acted on is the server's truth; the client may not come to know it.
package enum RequestFault: Sendable, Equatable {
    case reset(code: UInt32, isProcessed: Bool)
    /// Acted on, the answer's head, and then the reset.
    case headThenReset(code: UInt32)
    /// Never an answer.
    case silence(isProcessed: Bool)
    /// The right answer, so much later.
    case slow(Duration)
    /// 103 before the answer.
    case informational
    /// Fields after the answer's body.
    case trailers
    /// DATA before HEADERS: a protocol error.
    case bodyFirst
    /// The answer names another notification.
    case otherID
    /// The answer names none.
    case noID
    case rejected(Reason)
    /// A rejection whose body comes in frames of one byte.
    case rejectedInSingleBytes(Reason)
    case rejectedWithBody(status: Int, FaultBody)
    /// The connection's fault, at the moment when this request is complete.
    case connection(ConnectionFault, isProcessed: Bool)
}

/// The body of a rejection that is none of Apple's.
package enum FaultBody: Sendable, Equatable, CaseIterable {
    case empty, notJSON, unknownReason
    /// One million bytes of it.
    case hugeReason
}
