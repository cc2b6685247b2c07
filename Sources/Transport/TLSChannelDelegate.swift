/// A channel's owner. Called on its loop, and kept until it has closed.
package protocol TLSChannelDelegate: AnyObject {
    /// The handshake is done: bytes may be written.
    func channelDidOpen(_ channel: TLSChannel)
    /// The span is valid during the call only.
    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>)
    /// There is room to write again.
    func channelIsWritable(_ channel: TLSChannel)
    /// The last call; always made. Nil: a clean close, and no unsent bytes.
    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?)
}
