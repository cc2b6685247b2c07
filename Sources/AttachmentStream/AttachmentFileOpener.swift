private import Envelope
private import Platform
internal import Primitives

/// Opens an attachment into a file as its bytes arrive, in about 40 KB of memory. The file holds genuine bytes only,
/// and is removed unless all are.
public struct AttachmentFileOpener: ~Copyable, Sendable {
    /// Nil after a failure.
    private var opening: Opening?
    private var failure = AttachmentError.truncated

    /// - Parameters:
    ///   - path: must not exist; readable by its owner only.
    ///   - key: 32 bytes, the pointer's.
    ///   - context: the app's; part of the derived key.
    ///   - byteCount: file's length from the pointer, which bounds the bytes taken and written.
    /// - Throws: `.tooLong` for more than `AttachmentLength.byteCountMax`, `.wrongKey` for a key of another length,
    ///   `.file`.
    public static func create(
        at path: String,
        key: [UInt8],
        context: [UInt8],
        byteCount: UInt64
    ) throws(AttachmentError) -> Self {
        guard byteCount <= AttachmentLength.byteCountMax else { throw .tooLong }
        guard key.count == ChunkFormat.keyByteCount else { throw .wrongKey }
        let opener = unsafe ChunkOpener(key: SecretBytes(copying: key.span.bytes), context: context)
        let plaintext = PaddedPlaintext(file: try PartialFile(creating: path), byteCount: byteCount)
        return Self(
            opening: Opening(
                opener: opener,
                plaintext: plaintext,
                missingByteCount: AttachmentLength.stored(byteCount)
            )
        )
    }

    private init(opening: consuming Opening) { self.opening = consume opening }

    /// Opens the next bytes, split in any way. After an error the file is removed, and later calls repeat the error.
    ///
    /// - Throws: `.wrongKey`, `.damaged`, `.wrongPadding`, `.file`, and `.tooLong` at the first byte too many.
    public mutating func update(_ bytes: RawSpan) throws(AttachmentError) {
        // An error drops it, which removes the file.
        guard var opening = opening.take() else { throw failure }
        do throws(AttachmentError) {
            try opening.update(bytes)
        } catch {
            failure = error
            throw error
        }
        self.opening = consume opening
    }

    /// Completes the file. Without this call, the file is removed with the opener.
    ///
    /// - Throws: `.truncated` if bytes are missing, `.damaged`, `.wrongPadding`, `.file`, or an earlier error; the file
    ///   is then removed.
    public consuming func finish() throws(AttachmentError) {
        guard let opening = opening.take() else { throw failure }
        try opening.finish()
    }
}

/// Dropped as one.
private struct Opening: ~Copyable, Sendable {
    private var opener: ChunkOpener
    private var plaintext: PaddedPlaintext
    private var missingByteCount: UInt64

    init(opener: consuming ChunkOpener, plaintext: consuming PaddedPlaintext, missingByteCount: UInt64) {
        self.opener = opener
        self.plaintext = plaintext
        self.missingByteCount = missingByteCount
    }

    mutating func update(_ bytes: RawSpan) throws(AttachmentError) {
        let count = Int(min(missingByteCount, UInt64(bytes.byteCount)))
        missingByteCount -= UInt64(count)
        try opener.update(bytes.extracting(first: count)) { (chunk) throws(AttachmentError) in
            try plaintext.write(chunk)
        }
        guard count == bytes.byteCount else { throw .tooLong }
    }

    consuming func finish() throws(AttachmentError) {
        guard missingByteCount == 0 else { throw .truncated }
        var plaintext = plaintext
        try opener.finish { (chunk) throws(AttachmentError) in try plaintext.write(chunk) }
        try plaintext.finish()
    }
}

/// Writes the file, and checks the zeros after it.
private struct PaddedPlaintext: ~Copyable, Sendable {
    private let file: PartialFile
    private var missingByteCount: UInt64

    init(file: consuming PartialFile, byteCount: UInt64) {
        self.file = file
        missingByteCount = byteCount
    }

    mutating func write(_ bytes: RawSpan) throws(AttachmentError) {
        let count = Int(min(missingByteCount, UInt64(bytes.byteCount)))
        try file.write(bytes.extracting(first: count))
        missingByteCount -= UInt64(count)
        guard Self.isZero(bytes.extracting(droppingFirst: count)) else { throw .wrongPadding }
    }

    /// The chunks add up to the padded length, since the stored length follows from it.
    consuming func finish() throws(AttachmentError) {
        try file.finish()
    }

    /// Each byte equals the one before it, and the first is zero.
    private static func isZero(_ bytes: RawSpan) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let first = unsafe bytes.first else { return true }
            return unsafe first == 0 && memcmp(start, start + 1, bytes.count - 1) == 0
        }
    }
}
