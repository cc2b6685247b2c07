/// How long each part of a channel's life may take, how much may wait to be sent, and which way a client takes.
package struct TLSChannelLimits: Sendable {
    package var route = TCPRoute()
    /// Name, every address, TCP's own handshake, and the proxy's.
    package var connectDeadline: Duration = .seconds(10)
    package var handshakeDeadline: Duration = .seconds(10)
    /// Without a byte in either direction; nil: for ever.
    package var idleDeadline: Duration? = .seconds(600)
    /// How long sent bytes may go unacknowledged, or an idle peer not answer TCP's probes, before the connection counts
    /// as lost. A peer that lives but takes nothing for so long counts as gone too. Nil: the system's own patience.
    package var unacknowledgedDeadline: Duration? = .seconds(30)
    /// From `close()` to the end of the descriptor.
    package var closeDeadline: Duration = .seconds(2)
    /// Above it the channel is not writable; the owner should hold back.
    package var sendQueueByteCountHigh = 256 << 10
    /// Beyond it `write` fails: an owner that does not hold back must not exhaust the memory.
    package var sendQueueByteCountMax = 4 << 20

    package init() {}
}
