public import Envelope
private import Primitives

// Whoever encrypts a file makes its id and key. Neither is used for a second file.
extension AttachmentKey {
    /// A new key: 32 bytes of the system's random source.
    public static func random() -> AttachmentKey {
        var random = SystemRandom()
        return AttachmentKey(bytes: random.bytes(count: byteCount))
    }
}

extension AttachmentID {
    /// A new id: 16 bytes of the system's random source.
    public static func random() -> AttachmentID {
        var random = SystemRandom()
        return AttachmentID(bytes: random.bytes(count: byteCount))
    }
}
