/// What one end of an HTTP/2 connection announces and enforces. Sizes in bytes.
package struct HTTP2Settings: Sendable {
    // What the peer is told (RFC 9113 section 6.5.2).
    package var maxConcurrentStreams: UInt32 = 100
    /// The receive window of each stream.
    package var initialWindowByteCount: UInt32 = 1 << 20
    package var headerTableByteCount: UInt32 = 4096
    package var frameByteCountMax: UInt32 = 1 << 14
    /// Of a decoded header block: names, values and 32 for each field. Beyond it a request is answered with 431.
    package var headerListByteCountMax: UInt32 = 8000
    /// The receive window of the connection; 65,535 is the protocol's default and halves the throughput of a busy one.
    package var connectionWindowByteCount: Int32 = 16 << 20

    // What is enforced without telling.
    package var headerFieldCountMax = 100
    /// Beyond it a message's body is counted and thrown away.
    package var bodyByteCountMax = 1 << 20
    /// Beyond it the stream is reset.
    package var bodyByteCountHardMax = 4 << 20
    /// Acknowledgements that may wait to be sent; at it nghttp2 gives up without a word, so `idleFrames` comes first.
    package var outboundAcknowledgementCountMax = 1000
    /// HEADERS and its CONTINUATION frames together, as they are on the wire. A server's peer that goes on has flooded.
    package var headerBlockByteCountMax = 32 << 10
    /// Below the eight at which nghttp2 gives up without a word.
    package var continuationCountMax = 6
    /// Streams without an answer that the peer may break off, or make us break off, in a row and per second.
    package var resets = FloodLimit(burst: 100, perSecond: 10)
    /// Frames that carry nothing: PING, SETTINGS, PRIORITY, empty DATA, WINDOW_UPDATE for no DATA, unknown ones.
    package var idleFrames = FloodLimit(burst: 200, perSecond: 20)
    /// Server: the debug data of the GOAWAY for a stream beyond `maxConcurrentStreams` of a peer that knows the limit. Nil:
    /// such a stream is refused, and the connection goes on.
    package var excessStreamGoAway: [UInt8]?
    /// Server: the debug data of the GOAWAY for a field name in upper case. Nil: a stream error, as for every malformed
    /// message (RFC 9113 section 8.2.1).
    package var upperCaseGoAway: [UInt8]?

    package init() {}
}

/// A token bucket's measures.
package struct FloodLimit: Sendable, Equatable {
    package var burst: Int
    package var perSecond: Int

    package init(burst: Int, perSecond: Int) {
        self.burst = burst
        self.perSecond = perSecond
    }
}

/// Counts what a peer does too much of. The clock is the caller's.
struct FloodGuard {
    private let limit: FloodLimit
    /// In billionths, so that slow refills are exact.
    private var tokens: Int64
    private var refilledAt: MonotonicTime

    init(_ limit: FloodLimit, now: MonotonicTime) {
        self.limit = limit
        tokens = Int64(limit.burst) * 1_000_000_000
        refilledAt = now
    }

    /// One more. False: too many.
    mutating func admit(now: MonotonicTime) -> Bool {
        let full = Int64(limit.burst) * 1_000_000_000
        // Beyond a day's refill the bucket is full anyway, and the product cannot overflow.
        let elapsed = min(max(0, now.nanoseconds - refilledAt.nanoseconds), 86_400_000_000_000)
        let (refill, overflow) = elapsed.multipliedReportingOverflow(by: Int64(limit.perSecond))
        tokens = overflow ? full : min(full, tokens + refill)
        refilledAt = now
        guard tokens >= 1_000_000_000 else { return false }
        tokens -= 1_000_000_000
        return true
    }
}
