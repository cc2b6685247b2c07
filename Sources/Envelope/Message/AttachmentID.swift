/// 16 random bytes that name an attachment, and bind its encryption to this name.
public struct AttachmentID: Hashable, Sendable {
    package static let byteCount = 16
    /// Characters of base64url.
    static let characterCount = 22

    /// 16 bytes.
    public let rawRepresentation: [UInt8]

    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        rawRepresentation = bytes
    }

    /// Nil unless there are 16 bytes: random ones, never used for another file.
    public init?(rawRepresentation: [UInt8]) {
        guard rawRepresentation.count == Self.byteCount else { return nil }
        self.rawRepresentation = rawRepresentation
    }

    /// As it travels; nil unless the text is the base64url of 16 bytes.
    public init?(text: String) {
        guard text.utf8.count == Self.characterCount, let bytes = Base64URL.decode(Array(text.utf8)) else { return nil }
        rawRepresentation = bytes
    }

    /// What the file's encryption is bound to: LP("SealedPush/1 attachment") ‖ id, 40 bytes.
    package var context: [UInt8] { Binding.context(Binding.attachmentContext) + rawRepresentation }

    /// 22 characters of base64url.
    public var text: String { Base64URL.string(rawRepresentation) }
}
