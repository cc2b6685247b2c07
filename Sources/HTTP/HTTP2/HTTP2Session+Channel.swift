import Networking

extension HTTP2Session {
    /// One TLS record: each costs thousands of instructions, whatever it holds.
    private static let pieceByteCount = 1 << 14

    /// Sends while the channel has room, in full records but for the last.
    func send(through channel: TLSChannel) throws(TransportError) {
        let scratch = channel.loop.scratch
        defer { scratch.frames.removeAll() }
        while channel.isWritable {
            do throws(HTTP2Error) {
                try send(into: &scratch.frames, byteCountMax: Self.pieceByteCount)
            } catch {
                throw .http2(error)
            }
            guard scratch.frames.byteCount >= Self.pieceByteCount else { break }
            try scratch.frames.withBytes { (bytes) throws(TransportError) in
                try channel.write(bytes.extracting(first: Self.pieceByteCount))
            }
            scratch.frames.removeFirst(Self.pieceByteCount)
        }
        if !scratch.frames.isEmpty {
            try scratch.frames.withBytes { (bytes) throws(TransportError) in try channel.write(bytes) }
        }
        channel.flush()
    }
}
