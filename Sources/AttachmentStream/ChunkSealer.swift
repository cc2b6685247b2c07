private import Envelope
package import Primitives

/// Seals a stream in chunks, without I/O.
package struct ChunkSealer: ~Copyable, Sendable {
    /// Salt and commitment, 56 bytes, written first.
    package let head: [UInt8]

    private var counter: ChunkCounter
    private var cipher: AESGCMSealer
    /// Incomplete chunk.
    private var pending = SecretBytes(byteCount: ChunkFormat.plaintextByteCount) { _ in }
    private var pendingByteCount = 0
    private var sealed = SecretBytes(byteCount: ChunkFormat.sealedByteCount) { _ in }

    /// - Parameters:
    ///   - key: 32 bytes, of this attachment alone.
    ///   - salt: 24 random bytes.
    ///   - context: identifies the attachment; the opener needs the same.
    package init(key: borrowing SecretBytes, salt: [UInt8], context: [UInt8]) {
        self.init(ChunkKeys(inputKey: key, salt: salt, context: context), salt: salt)
    }

    init(_ keys: borrowing ChunkKeys, salt: [UInt8]) {
        head = salt + keys.commitment.withBytes { [UInt8](copying: $0) }
        counter = ChunkCounter(baseNonce: keys.baseNonce)
        cipher = AESGCMSealer(key: keys.key)
    }

    /// Seals the next bytes, split in any way. `emit` takes sealed chunks. After an error the sealer is unusable.
    ///
    /// - Throws: errors of `emit`; `.tooLong`.
    package mutating func update(
        _ bytes: RawSpan,
        emit: (RawSpan) throws(AttachmentError) -> Void
    ) throws(AttachmentError) {
        var offset = 0
        while offset < bytes.byteCount {
            let rest = bytes.extracting(droppingFirst: offset)
            if pendingByteCount == 0, rest.byteCount >= ChunkFormat.plaintextByteCount {
                try seal(rest.extracting(first: ChunkFormat.plaintextByteCount), emit: emit)
                offset += ChunkFormat.plaintextByteCount
                continue
            }
            offset += pending.append(rest, at: &pendingByteCount)
            if pendingByteCount == ChunkFormat.plaintextByteCount { try sealPending(emit: emit) }
        }
    }

    /// Seals the last chunk, which may be empty.
    package consuming func finish(emit: (RawSpan) throws(AttachmentError) -> Void) throws(AttachmentError) {
        try sealPending(emit: emit)
    }

    private mutating func sealPending(emit: (RawSpan) throws(AttachmentError) -> Void) throws(AttachmentError) {
        try counter.check()
        let count = pendingByteCount
        pendingByteCount = 0
        pending.withBytes { pending in
            sealed.withMutableBytes { cipher.seal(pending.extracting(first: count), nonce: counter.nonce, into: &$0) }
        }
        counter.advance()
        try sealed.withBytes { (sealed) throws(AttachmentError) in
            try emit(sealed.extracting(first: count + ChunkFormat.tagByteCount))
        }
    }

    private mutating func seal(
        _ chunk: RawSpan,
        emit: (RawSpan) throws(AttachmentError) -> Void
    ) throws(AttachmentError) {
        try counter.check()
        sealed.withMutableBytes { cipher.seal(chunk, nonce: counter.nonce, into: &$0) }
        counter.advance()
        try sealed.withBytes(emit)
    }
}

extension SecretBytes {
    /// Copies the bytes that fit after the first `count`.
    mutating func append(_ bytes: RawSpan, at count: inout Int) -> Int {
        let taken = min(byteCount - count, bytes.byteCount)
        let start = count
        withMutableBytes { $0.write(bytes.extracting(first: taken), at: start) }
        count += taken
        return taken
    }
}
