package import APNS

/// Fault of a working connection.
package enum ConnectionFault: Sendable, Equatable {
    case goAway(FaultGoAway)
    case settings(FaultSettings)
    /// Neither reads nor writes, like a firewall that lost the connection's state.
    case blackhole
    case reset
    /// End of the stream without TLS close_notify.
    case cut
    /// TLS close_notify without a GOAWAY.
    case close
    case alert
    case corruptRecord
    /// Pause in reading.
    case deaf(for: Duration)
}

package struct FaultGoAway: Sendable, Equatable {
    /// Last stream id in the GOAWAY, never below a processed stream.
    package enum Cut: String, Sendable, Equatable, CaseIterable {
        /// Last processed stream; 0 for none.
        case processed
        /// Half-way between `processed` and `received`.
        case middle
        case received
        /// Stream that was not received yet.
        case above
    }

    package enum DebugData: Sendable, Equatable {
        case none
        /// JSON reason, as from APNs.
        case reason(Reason)
        case notJSON
        /// Fills one frame.
        case large
    }

    package var code: UInt32
    package var cut: Cut
    package var debugData: DebugData
    /// From a GOAWAY with the highest stream id to the real one (RFC 9113 section 6.8).
    package var gracefulDelay: Duration?
    /// Time until open streams are cut; nil: they may end.
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

package enum FaultSettings: Sendable, Equatable {
    /// New stream limit; streams above it get REFUSED_STREAM, or may end.
    case streams(UInt32, refusesRest: Bool)
    /// No streams for this long, then the old limit.
    case noStreams(for: Duration)
    /// Stream windows of 0 for this long.
    case windowShut(for: Duration)
    /// No dynamic table (RFC 7541 section 4.2).
    case noHeaderTable
    /// Different stream limits in a row, then the original.
    case storm(count: Int)
}

/// `isProcessed` is the truth, which the client may not learn.
package enum RequestFault: Sendable, Equatable {
    case reset(code: UInt32, isProcessed: Bool)
    /// Processed; the response's head, then a reset.
    case headThenReset(code: UInt32)
    case silence(isProcessed: Bool)
    case slow(Duration)
    /// 103 before the response.
    case informational
    case trailers
    /// DATA before HEADERS: a protocol error.
    case bodyFirst
    /// Response with another notification's id.
    case otherID
    case noID
    case rejected(Reason)
    /// Rejection whose body comes in one-byte frames.
    case rejectedInSingleBytes(Reason)
    case rejectedWithBody(status: Int, FaultBody)
    /// Connection fault once this request is complete.
    case connection(ConnectionFault, isProcessed: Bool)
}

/// Rejection body unlike any of Apple's.
package enum FaultBody: Sendable, Equatable, CaseIterable {
    case empty, notJSON, unknownReason
    /// One million bytes.
    case hugeReason
}
