private import Envelope
private import Platform
internal import Primitives

/// Opens an attachment as its bytes arrive, into a file. The file holds what is genuine and nothing else, and stays only
/// when all of it is.
///
/// Takes about 40 KB of memory, however long the attachment is.
public struct AttachmentFileOpener: ~Copyable, Sendable {
    /// Nil once it failed.
    private var opening: Opening?
    private var failure = AttachmentError.truncated

    /// Makes the file, empty.
    ///
    /// - Parameters:
    ///   - path: where nothing is yet; the file is readable by its owner only.
    ///   - key: 32 bytes, the pointer's.
    ///   - context: the pointer's.
    ///   - byteCount: the file's length in bytes, as the pointer gives it. At most so many bytes are
    ///     written, and at most `AttachmentLength.stored` of it taken.
    /// - Returns: the opener, which waits for the first bytes.
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

    /// - Parameter bytes: the next ones, any number: how they are split makes no difference.
    /// - Throws: `.wrongKey`, `.damaged`, `.wrongPadding`, `.file`, and `.tooLong` at the first byte too many. The file is
    ///   then gone, and whatever follows throws the same.
    public mutating func update(_ bytes: RawSpan) throws(AttachmentError) {
        // Taken out, so that an error drops it, and the file with it.
        guard var opening = opening.take() else { throw failure }
        do throws(AttachmentError) {
            try opening.update(bytes)
        } catch {
            failure = error
            throw error
        }
        self.opening = consume opening
    }

    /// Says that all bytes were given. Without it, the file goes with the opener.
    ///
    /// - Throws: `.truncated` when bytes are missing, `.damaged`, `.wrongPadding`, `.file`; the file is then gone. After
    ///   an error of `update`, that error.
    public consuming func finish() throws(AttachmentError) {
        guard let opening = opening.take() else { throw failure }
        try opening.finish()
    }
}

/// The opener's parts, dropped together.
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

/// A file and the zeros that hide its length: the file is written, the zeros are checked.
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

    /// The chunks add up to the padded length, because what is stored has the length that follows from it.
    consuming func finish() throws(AttachmentError) {
        try file.finish()
    }

    /// Each byte is the one before it, and the first is zero.
    private static func isZero(_ bytes: RawSpan) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let first = unsafe bytes.first else { return true }
            return unsafe first == 0 && memcmp(start, start + 1, bytes.count - 1) == 0
        }
    }
}
