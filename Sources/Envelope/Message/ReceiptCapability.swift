/// The right to say once that one message arrived: 16 random bytes that its sender made for one recipient, and of which the
/// place that takes receipts keeps a hash (docs/protocol.md, section 6). It goes with the message, sealed, so that nobody
/// has it who could not open the message.
public struct ReceiptCapability: Hashable, Sendable {
    package static let byteCount = 16
    /// Characters of base64url.
    static let characterCount = 22

    /// 16 bytes.
    public let rawRepresentation: [UInt8]

    /// Nil unless there are 16 bytes: random ones, never used for another message or recipient.
    public init?(rawRepresentation: [UInt8]) {
        guard rawRepresentation.count == Self.byteCount else { return nil }
        self.rawRepresentation = rawRepresentation
    }

    /// As it travels; nil unless the text is the base64url of 16 bytes.
    public init?(text: String) {
        guard text.utf8.count == Self.characterCount, let bytes = Base64URL.decode(Array(text.utf8)) else { return nil }
        rawRepresentation = bytes
    }

    /// 22 characters of base64url.
    public var text: String { Base64URL.string(rawRepresentation) }
}

extension ReceiptCapability: CustomStringConvertible, CustomReflectable {
    /// Without the bytes: whoever has them can use them.
    public var description: String { "ReceiptCapability" }
    /// Without the bytes, too.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
