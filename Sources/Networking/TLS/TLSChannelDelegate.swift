/// Channel's owner. Called on its loop, and kept until it has closed.
package protocol TLSChannelDelegate: AnyObject {
    func channelDidOpen(_ channel: TLSChannel)
    /// The span is valid during the call only.
    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>)
    func channelIsWritable(_ channel: TLSChannel)
    /// The last call; always made. Nil: a clean close, and no unsent bytes.
    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?)
}
