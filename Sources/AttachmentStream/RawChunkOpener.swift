private import Envelope
private import Primitives

/// Format's raw mode, without a head, after the commitment is verified. Bytes are decrypted on arrival, and released
/// once the tag is verified. Only the end shows which bytes are the last tag: 16 are always kept back.
struct RawChunkOpener: ~Copyable, Sendable {
    private var counter: ChunkCounter
    private var cipher: AESGCMOpener
    private var plaintext = SecretBytes(byteCount: ChunkFormat.plaintextByteCount) { _ in }
    /// Of this chunk.
    private var byteCount = 0
    /// The last bytes, at most 16.
    private var tail = SecretBytes(byteCount: ChunkFormat.tagByteCount) { _ in }
    private var tailByteCount = 0

    init(_ keys: borrowing ChunkKeys) {
        counter = ChunkCounter(baseNonce: keys.baseNonce)
        cipher = AESGCMOpener(key: keys.key)
    }

    mutating func update(
        _ bytes: RawSpan,
        release: (RawSpan) throws(AttachmentError) -> Void
    ) throws(AttachmentError) {
        var offset = 0
        while offset < bytes.byteCount {
            if byteCount == 0 {
                try counter.check()
                cipher.start(nonce: counter.nonce)
            }
            let missing = ChunkFormat.sealedByteCount - byteCount
            let piece = bytes.extracting(droppingFirst: offset).extracting(first: missing)
            decrypt(piece)
            offset += piece.byteCount
            // Never the last chunk, so it is whole before more bytes come.
            if byteCount == ChunkFormat.sealedByteCount { try finishChunk(release: release) }
        }
    }

    consuming func finish(release: (RawSpan) throws(AttachmentError) -> Void) throws(AttachmentError) {
        guard byteCount >= ChunkFormat.tagByteCount else { throw .truncated }
        try finishChunk(release: release)
    }

    /// Leaves the last 16 bytes in the tail.
    private mutating func decrypt(_ piece: RawSpan) {
        byteCount += piece.byteCount
        let count = max(0, tailByteCount + piece.byteCount - ChunkFormat.tagByteCount)
        let fromTail = min(count, tailByteCount)
        plaintext.withMutableBytes { output in
            tail.withBytes { cipher.update($0.extracting(first: fromTail), into: &output) }
            cipher.update(piece.extracting(first: count - fromTail), into: &output)
        }
        tailByteCount -= fromTail
        tail.withMutableBytes { tail in
            for offset in 0..<tailByteCount {
                let byte = tail.bytes.byte(at: fromTail + offset)
                tail.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
        _ = tail.append(piece.extracting(droppingFirst: count - fromTail), at: &tailByteCount)
    }

    private mutating func finishChunk(
        release: (RawSpan) throws(AttachmentError) -> Void
    ) throws(AttachmentError) {
        byteCount = 0
        tailByteCount = 0
        let released = plaintext.withMutableBytes { output in
            tail.withBytes { tag -> Int? in
                do throws(PrimitiveError) {
                    return try cipher.finish(tag: tag, output: &output)
                } catch {
                    return nil
                }
            }
        }
        guard let released else { throw .damaged(chunk: counter.index) }
        counter.advance()
        try plaintext.withBytes { (plaintext) throws(AttachmentError) in
            try release(plaintext.extracting(first: released))
        }
    }
}
