public import Envelope
private import Primitives

/// Sealed file's part of a message. The URL is missing until the file is uploaded.
public struct SealedAttachment: Sendable {
    /// File's id, never reused.
    public let id: AttachmentID
    /// The key that opens the file, never reused.
    public let key: AttachmentKey
    /// File's length in bytes before sealing.
    public let byteCount: UInt64

    /// Attachment for the message.
    ///
    /// - Parameters:
    ///   - url: the sealed file is there before the message is sealed.
    ///   - type: of the file before it was sealed.
    ///   - name: 1 to 64 bytes of UTF-8 without U+0000; nil for none.
    ///   - isThumbnail: true for a stand-in for the next attachment.
    /// - Throws: `.name`.
    public func pointer(
        to url: AttachmentURL,
        type: MediaType,
        name: String? = nil,
        isThumbnail: Bool = false
    ) throws(AttachmentPointerError) -> AttachmentPointer {
        try AttachmentPointer(
            id: id,
            url: url,
            key: key,
            byteCount: byteCount,
            type: type,
            name: name,
            isThumbnail: isThumbnail
        )
    }
}

extension AttachmentFile {
    /// Seals a file under a new random key and id.
    ///
    /// - Parameters:
    ///   - source: up to `AttachmentLength.byteCountMax`.
    ///   - path: must not exist; readable by its owner only, and removed after an error.
    /// - Throws: `.file`, `.notARegularFile`, `.tooLong`, `.sourceChanged`.
    public static func seal(from source: String, to path: String) throws(AttachmentError) -> SealedAttachment {
        var random = SystemRandom()
        let id = AttachmentID(bytes: random.bytes(count: AttachmentID.byteCount))
        let key = random.bytes(count: AttachmentKey.byteCount)
        let byteCount = try seal(from: source, to: path, key: key, context: id.context, random: &random)
        return SealedAttachment(id: id, key: AttachmentKey(bytes: key), byteCount: byteCount)
    }

    /// Seals bytes that are in no file, under a new random key and id.
    ///
    /// - Parameters:
    ///   - bytes: the attachment; no copy reaches the disk.
    ///   - path: must not exist; readable by its owner only, and removed after an error.
    /// - Returns: attachment's part of the message.
    /// - Throws: `.file`.
    public static func seal(_ bytes: RawSpan, to path: String) throws(AttachmentError) -> SealedAttachment {
        var random = SystemRandom()
        let id = AttachmentID(bytes: random.bytes(count: AttachmentID.byteCount))
        let key = random.bytes(count: AttachmentKey.byteCount)
        try seal(bytes: bytes, to: path, key: key, context: id.context, random: &random)
        return SealedAttachment(id: id, key: AttachmentKey(bytes: key), byteCount: UInt64(bytes.byteCount))
    }
}
