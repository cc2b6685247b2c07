package struct TLSChannelLimits: Sendable {
    package var route = TCPRoute()
    /// For resolver, all addresses, TCP handshake and proxy.
    package var connectDeadline: Duration = .seconds(10)
    package var handshakeDeadline: Duration = .seconds(10)
    /// Without bytes in either direction; nil: unlimited.
    package var idleDeadline: Duration? = .seconds(600)
    /// For unacknowledged bytes, unanswered TCP probes, and a live peer that takes nothing; then the connection is
    /// lost. Nil: the system's.
    package var unacknowledgedDeadline: Duration? = .seconds(30)
    /// From `close()` to the descriptor's end.
    package var closeDeadline: Duration = .seconds(2)
    /// Above it the channel is not writable.
    package var sendQueueByteCountHigh = 256 << 10
    /// Beyond it `write` fails, to bound memory.
    package var sendQueueByteCountMax = 4 << 20

    package init() {}
}
