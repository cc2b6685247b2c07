import Networking

/// One end's announced and enforced limits. Sizes in bytes.
package struct HTTP2Settings: Sendable {
    // Announced (RFC 9113 section 6.5.2).
    package var maxConcurrentStreams: UInt32 = 100
    package var initialWindowByteCount: UInt32 = 1 << 20
    package var headerTableByteCount: UInt32 = 4096
    package var frameByteCountMax: UInt32 = 1 << 14
    /// Decoded header block: names, values and 32 per field. Larger requests get 431.
    package var headerListByteCountMax: UInt32 = 8000
    /// The protocol's default of 65,535 halves the throughput of a busy connection.
    package var connectionWindowByteCount: Int32 = 16 << 20

    // Enforced, not announced.
    package var headerFieldCountMax = 100
    /// Larger bodies are counted and discarded.
    package var bodyByteCountMax = 1 << 20
    /// Beyond it the stream is reset.
    package var bodyByteCountHardMax = 4 << 20
    /// nghttp2 fails silently at it, so that `idleFrames` must act first.
    package var outboundAcknowledgementCountMax = 1000
    /// HEADERS with its CONTINUATION frames, on the wire. A server treats more as a flood.
    package var headerBlockByteCountMax = 32 << 10
    /// Below eight, where nghttp2 fails silently.
    package var continuationCountMax = 6
    /// Unanswered streams that the peer may reset, or make us reset.
    package var resets = FloodLimit(burst: 100, perSecond: 10)
    /// Frames without content: PING, SETTINGS, PRIORITY, empty DATA, WINDOW_UPDATE for no DATA, unknown ones.
    package var idleFrames = FloodLimit(burst: 200, perSecond: 20)
    /// Server: debug data of the GOAWAY for a stream above the acknowledged limit. Nil: the stream is refused.
    package var excessStreamGoAway: [UInt8]?
    /// Server: debug data of the GOAWAY for an upper-case field name. Nil: a stream error (RFC 9113 section 8.2.1).
    package var upperCaseGoAway: [UInt8]?

    package init() {}
}

package struct FloodLimit: Sendable, Equatable {
    package var burst: Int
    package var perSecond: Int

    package init(burst: Int, perSecond: Int) {
        self.burst = burst
        self.perSecond = perSecond
    }
}

/// Token bucket for a peer's excesses. The clock is the caller's.
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

    mutating func admit(now: MonotonicTime) -> Bool {
        let full = Int64(limit.burst) * 1_000_000_000
        // A day's refill fills any bucket; the product stays small.
        let elapsed = min(max(0, now.nanoseconds - refilledAt.nanoseconds), 86_400_000_000_000)
        let (refill, overflow) = elapsed.multipliedReportingOverflow(by: Int64(limit.perSecond))
        tokens = overflow ? full : min(full, tokens + refill)
        refilledAt = now
        guard tokens >= 1_000_000_000 else { return false }
        tokens -= 1_000_000_000
        return true
    }
}
