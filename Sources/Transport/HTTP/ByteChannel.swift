/// A connection that carries bytes in both directions, over TLS or in plain text. Lives on one loop.
protocol ByteChannel: AnyObject {
    var loop: EventLoop { get }
    /// Whether there is room to write. When it is false, the owner will be told.
    var isWritable: Bool { get }
    /// Written, and not yet taken by the system.
    var unsentByteCount: Int { get }
    func write(_ bytes: Span<UInt8>) throws(TransportError)
    func pauseReading()
    func resumeReading()
    /// Sends what is queued, ends its direction, and waits a moment for the peer's end, so that the peer can read on.
    func close()
    /// Ends at once.
    func abort(_ error: TransportError, resets: Bool)
}

extension TLSChannel: ByteChannel {}

/// Whoever reads from a channel of plain text. All calls come on its loop.
protocol ByteChannelOwner: AnyObject {
    /// The span is valid during the call only.
    func channelDidReceive(_ bytes: Span<UInt8>)
    /// There was no room to write, and now there is.
    func channelIsWritable()
    /// The last call, and it always comes.
    func channelDidClose()
}
