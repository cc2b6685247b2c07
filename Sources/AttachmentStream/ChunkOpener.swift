private import Envelope
package import Primitives

/// Opens a stream of chunks, without I/O. Plaintext is genuine and in order; only `finish` proves the end genuine.
package struct ChunkOpener: ~Copyable, Sendable {
    private let key: SecretBytes
    private let context: [UInt8]
    private var head: [UInt8] = []
    /// Nil until the commitment is verified.
    private var chunks: RawChunkOpener?

    /// - Parameter key: 32 bytes.
    package init(key: consuming SecretBytes, context: [UInt8]) {
        precondition(key.byteCount == ChunkFormat.keyByteCount)
        self.key = key
        self.context = context
    }

    /// Opens the next bytes, split in any way. `release` takes the plaintext of verified chunks. After an error the
    /// opener is unusable.
    ///
    /// - Throws: `.wrongKey` before any chunk is opened, `.damaged`, `.tooLong`, errors of `release`.
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

    /// - Throws: `.truncated` unless a chunk was begun, `.damaged`, errors of `release`.
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
