import Networking

extension HTTP2Session {
    /// One TLS record: smaller pieces cost one each, larger save nothing.
    private static let pieceByteCount = 1 << 14

    /// Sends while the channel has room.
    func send(through channel: TLSChannel) throws(TransportError) {
        let scratch = channel.loop.scratch
        while channel.isWritable {
            do throws(HTTP2Error) {
                try send(into: &scratch.frames, byteCountMax: Self.pieceByteCount)
            } catch {
                scratch.frames.removeAll()
                throw .http2(error)
            }
            guard !scratch.frames.isEmpty else { break }
            defer { scratch.frames.removeAll() }
            try scratch.frames.withBytes { (bytes) throws(TransportError) in try channel.write(bytes) }
        }
        channel.flush()
    }
}
