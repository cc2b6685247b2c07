public import Envelope
private import Primitives

// Never use an id or a key for a second file.
extension AttachmentKey {
    /// New key of 32 random bytes.
    public static func random() -> AttachmentKey {
        var random = SystemRandom()
        return AttachmentKey(bytes: random.bytes(count: byteCount))
    }
}

extension AttachmentID {
    /// New id of 16 random bytes.
    public static func random() -> AttachmentID {
        var random = SystemRandom()
        return AttachmentID(bytes: random.bytes(count: byteCount))
    }
}
