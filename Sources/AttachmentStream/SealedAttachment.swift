public import Envelope
private import Primitives

/// All that a message says of a sealed file, but where it is: that is known once the file is uploaded.
public struct SealedAttachment: Sendable {
    /// Of this file alone.
    public let id: AttachmentID
    /// Of this file alone: it opens it.
    public let key: AttachmentKey
    /// Of the file before it was sealed.
    public let byteCount: UInt64

    /// - Parameters:
    ///   - url: where the sealed file is, or will be before the message is sealed.
    ///   - type: what the file is.
    ///   - name: 1 to 64 bytes of UTF-8 without U+0000; nil for none.
    ///   - isThumbnail: whether it stands in for the attachment that follows it in the message.
    /// - Returns: what goes into the message.
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
    /// Seals a file under a random key and id of its own.
    ///
    /// - Parameters:
    ///   - source: the file to be sealed, at most `AttachmentLength.byteCountMax` long.
    ///   - path: of the sealed file, where nothing is yet; readable by its owner only, and gone again after an error.
    /// - Returns: what its pointer needs.
    /// - Throws: `.file`, `.notARegularFile`, `.tooLong`, `.sourceChanged`.
    public static func seal(from source: String, to path: String) throws(AttachmentError) -> SealedAttachment {
        var random = SystemRandom()
        let id = AttachmentID(bytes: random.bytes(count: AttachmentID.byteCount))
        let key = random.bytes(count: AttachmentKey.byteCount)
        let byteCount = try seal(from: source, to: path, key: key, context: id.context, random: &random)
        return SealedAttachment(id: id, key: AttachmentKey(bytes: key), byteCount: byteCount)
    }
}
