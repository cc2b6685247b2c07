private import Envelope
package import Primitives

/// Opens a stream of bytes, chunk by chunk. No input or output inside: bytes in, genuine plaintext out, in order. The end
/// is genuine only when `finish` says so.
package struct ChunkOpener: ~Copyable, Sendable {
    private let key: SecretBytes
    private let context: [UInt8]
    private var head: [UInt8] = []
    /// Nil until the commitment was checked.
    private var chunks: RawChunkOpener?

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - context: the one that it was sealed with.
    package init(key: consuming SecretBytes, context: [UInt8]) {
        precondition(key.byteCount == ChunkFormat.keyByteCount)
        self.key = key
        self.context = context
    }

    /// - Parameters:
    ///   - bytes: the next ones, any number: how they are split makes no difference.
    ///   - release: takes the plaintext of each chunk, once the chunk is known to be genuine.
    /// - Throws: `.wrongKey` before any chunk is looked at, `.damaged`, `.tooLong`; what `release` throws. The opener is
    ///   then good for nothing.
    package mutating func update(
        _ bytes: RawSpan,
        release: (RawSpan) throws(AttachmentError) -> Void
    ) throws(AttachmentError) {
        let missing = ChunkFormat.headByteCount - head.count
        if missing > 0 {
            head += [UInt8](copying: bytes.extracting(first: missing))
            guard head.count == ChunkFormat.headByteCount else { return }
            chunks = try checkedChunks()
        }
        try chunks?.update(bytes.extracting(droppingFirst: missing), release: release)
    }

    /// Opens what is left as the last chunk.
    ///
    /// - Parameter release: takes its plaintext, if there is any.
    /// - Throws: `.truncated` unless a chunk was begun, `.damaged` if it is not the last one, whole; what `release` throws.
    package consuming func finish(release: (RawSpan) throws(AttachmentError) -> Void) throws(AttachmentError) {
        guard let chunks = chunks.take() else { throw .truncated }
        try chunks.finish(release: release)
    }

    private func checkedChunks() throws(AttachmentError) -> RawChunkOpener {
        let salt = Array(head[..<ChunkFormat.saltByteCount])
        let keys = ChunkKeys(inputKey: key, salt: salt, context: context)
        guard keys.isCommitted(by: head[ChunkFormat.saltByteCount...]) else { throw .wrongKey }
        return RawChunkOpener(keys)
    }
}
