private import Envelope
package import Primitives

/// Seals and opens whole files.
public enum AttachmentFile {
    /// Seals a file under a given key, and returns its length in bytes. The sealed length is `AttachmentLength.stored`
    /// of it.
    ///
    /// - Parameters:
    ///   - path: must not exist; readable by its owner only, and removed after an error.
    ///   - key: 32 random bytes, used for no other file.
    /// - Throws: `.file`, `.notARegularFile`, `.tooLong`, `.sourceChanged`, `.wrongKey` for a key of another length.
    package static func seal(
        from source: String,
        to path: String,
        key: [UInt8],
        context: [UInt8]
    ) throws(AttachmentError) -> UInt64 {
        var random = SystemRandom()
        return try seal(from: source, to: path, key: key, context: context, random: &random)
    }

    package static func seal(
        from source: String,
        to path: String,
        key: [UInt8],
        context: [UInt8],
        random: inout some RandomSource
    ) throws(AttachmentError) -> UInt64 {
        guard key.count == ChunkFormat.keyByteCount else { throw .wrongKey }
        let source = try SourceFile(opening: source)
        guard source.byteCount <= AttachmentLength.byteCountMax else { throw .tooLong }
        var sealer = unsafe ChunkSealer(
            key: SecretBytes(copying: key.span.bytes),
            salt: random.bytes(count: ChunkFormat.saltByteCount),
            context: context
        )
        let file = try PartialFile(creating: path)
        try unsafe file.write(sealer.head.span.bytes)
        try seal(source, with: &sealer, into: file)
        try sealer.finish { (chunk) throws(AttachmentError) in try file.write(chunk) }
        try file.finish()
        return source.byteCount
    }

    /// Seals bytes of memory; else as for a file.
    ///
    /// - Throws: `.file`, `.tooLong`, `.wrongKey`.
    package static func seal(
        bytes: RawSpan,
        to path: String,
        key: [UInt8],
        context: [UInt8],
        random: inout some RandomSource
    ) throws(AttachmentError) {
        guard key.count == ChunkFormat.keyByteCount else { throw .wrongKey }
        var sealer = unsafe ChunkSealer(
            key: SecretBytes(copying: key.span.bytes),
            salt: random.bytes(count: ChunkFormat.saltByteCount),
            context: context
        )
        let file = try PartialFile(creating: path)
        try unsafe file.write(sealer.head.span.bytes)
        try sealer.update(bytes) { (chunk) throws(AttachmentError) in try file.write(chunk) }
        try pad(UInt64(bytes.byteCount), with: &sealer, into: file)
        try sealer.finish { (chunk) throws(AttachmentError) in try file.write(chunk) }
        try file.finish()
    }

    /// Seals the file's bytes, and zeros up to the padded length.
    private static func seal(
        _ source: borrowing SourceFile,
        with sealer: inout ChunkSealer,
        into file: borrowing PartialFile
    ) throws(AttachmentError) {
        var buffer = SecretBytes(byteCount: ChunkFormat.plaintextByteCount) { _ in }
        var missingByteCount = source.byteCount
        while true {
            let count = try read(source, into: &buffer)
            guard count <= missingByteCount else { throw .sourceChanged }
            guard count > 0 else { break }
            missingByteCount -= UInt64(count)
            try buffer.withBytes { (bytes) throws(AttachmentError) in
                try sealer.update(bytes.extracting(first: count)) { (chunk) throws(AttachmentError) in
                    try file.write(chunk)
                }
            }
        }
        guard missingByteCount == 0 else { throw .sourceChanged }
        try pad(source.byteCount, with: &sealer, into: file)
    }

    private static func pad(
        _ byteCount: UInt64,
        with sealer: inout ChunkSealer,
        into file: borrowing PartialFile
    ) throws(AttachmentError) {
        let zeros = SecretBytes(byteCount: ChunkFormat.plaintextByteCount) { _ in }
        var paddingByteCount = AttachmentLength.padded(byteCount) - byteCount
        while paddingByteCount > 0 {
            let count = Int(min(paddingByteCount, UInt64(zeros.byteCount)))
            paddingByteCount -= UInt64(count)
            try zeros.withBytes { (bytes) throws(AttachmentError) in
                try sealer.update(bytes.extracting(first: count)) { (chunk) throws(AttachmentError) in
                    try file.write(chunk)
                }
            }
        }
    }

    /// Opens a sealed file.
    ///
    /// - Parameters:
    ///   - source: sealed file.
    ///   - path: must not exist; readable by its owner only, and removed after an error.
    ///   - key: the pointer's, 32 bytes.
    ///   - byteCount: opened length, from the pointer.
    ///   - context: the app's; part of the derived key.
    /// - Throws: any `AttachmentError` but `.sourceChanged`.
    public static func open(
        from source: String,
        to path: String,
        key: [UInt8],
        context: [UInt8],
        byteCount: UInt64
    ) throws(AttachmentError) {
        let source = try SourceFile(opening: source)
        var opener = try AttachmentFileOpener.create(at: path, key: key, context: context, byteCount: byteCount)
        // Whole chunks after the head are opened in their buffer.
        var head = SecretBytes(byteCount: ChunkFormat.headByteCount) { _ in }
        var chunk = SecretBytes(byteCount: ChunkFormat.sealedByteCount) { _ in }
        var count = try read(source, into: &head)
        try head.withBytes { (bytes) throws(AttachmentError) in try opener.update(bytes.extracting(first: count)) }
        while count > 0 {
            count = try read(source, into: &chunk)
            try chunk.withBytes { (bytes) throws(AttachmentError) in
                try opener.update(bytes.extracting(first: count))
            }
        }
        try opener.finish()
    }

    private static func read(
        _ source: borrowing SourceFile,
        into buffer: inout SecretBytes
    ) throws(AttachmentError) -> Int {
        let result = buffer.withMutableBytes { output -> Result<Int, AttachmentError> in
            do throws(AttachmentError) {
                return .success(try source.read(into: &output))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
