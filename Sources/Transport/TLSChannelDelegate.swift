/// Owner of a channel. All calls come on the channel's loop; the channel keeps its delegate until it has closed.
package protocol TLSChannelDelegate: AnyObject {
    /// The handshake is done: bytes may be written from now on.
    func channelDidOpen(_ channel: TLSChannel)
    /// Plaintext arrived. The span is valid during the call only.
    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>)
    /// There was no room to write, and now there is.
    func channelIsWritable(_ channel: TLSChannel)
    /// The last call, and it always comes. Nil: closed in order, and nothing that was written still waited here.
    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?)
}
