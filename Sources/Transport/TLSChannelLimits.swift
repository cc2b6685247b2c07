/// How long each part of a channel's life may take, and how much may wait to be sent.
package struct TLSChannelLimits: Sendable {
    /// Name, every address, and TCP's own handshake.
    package var connectDeadline: Duration = .seconds(10)
    package var handshakeDeadline: Duration = .seconds(10)
    /// Without a byte in either direction; nil: for ever.
    package var idleDeadline: Duration? = .seconds(600)
    /// From `close()` to the end of the descriptor.
    package var closeDeadline: Duration = .seconds(2)
    /// Above it the channel is not writable; the owner should hold back.
    package var sendQueueByteCountHigh = 256 << 10
    /// Beyond it `write` fails: an owner that does not hold back must not exhaust the memory.
    package var sendQueueByteCountMax = 4 << 20

    package init() {}
}
