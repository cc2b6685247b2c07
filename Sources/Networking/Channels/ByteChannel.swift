/// Connection over TLS or in plain text. Lives on one loop.
package protocol ByteChannel: AnyObject {
    var loop: EventLoop { get }
    /// True while there is room to write. After false, the owner gets `channelIsWritable`.
    var isWritable: Bool { get }
    /// Written, not yet taken by the system.
    var unsentByteCount: Int { get }
    func write(_ bytes: Span<UInt8>) throws(TransportError)
    func pauseReading()
    func resumeReading()
    /// Sends the queue, ends its direction, and waits briefly for the peer's end.
    func close()
    func abort(_ error: TransportError, resets: Bool)
}

extension TLSChannel: ByteChannel {}

/// Receiver of a channel's events, on its loop.
package protocol ByteChannelOwner: AnyObject {
    /// The span is valid during the call only.
    func channelDidReceive(_ bytes: Span<UInt8>)
    func channelIsWritable()
    /// The last call; always made.
    func channelDidClose()
}
