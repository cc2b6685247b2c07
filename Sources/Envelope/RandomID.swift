/// 16 random bytes that name one thing; `Tag` says what, so that no id is taken for one of another kind.
public struct RandomID<Tag>: Hashable, Sendable {
    package static var byteCount: Int { 16 }
    /// Characters of base64url.
    package static var characterCount: Int { 22 }

    /// The bytes as a number, the first one highest.
    private let value: UInt128

    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        value = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// - Returns: nil unless there are 16 bytes.
    public init?(rawRepresentation: [UInt8]) {
        guard rawRepresentation.count == Self.byteCount else { return nil }
        self.init(bytes: rawRepresentation)
    }

    /// - Returns: nil unless the text is the base64url of 16 bytes.
    public init?(text: String) {
        guard text.utf8.count == Self.characterCount, let bytes = Base64URL.decode(Array(text.utf8)) else { return nil }
        self.init(bytes: bytes)
    }

    /// 16 bytes.
    public var rawRepresentation: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: value >> UInt128(120 - 8 * $0)) }
    }

    /// As it travels: 22 characters of base64url.
    public var text: String { Base64URL.string(rawRepresentation) }
}

/// Names a message: the same for every recipient of a fan-out, and in a re-send.
public typealias MessageID = RandomID<MessageTag>
/// Tag of `MessageID`.
public enum MessageTag {}

extension MessageID: Comparable {
    /// As numbers: the order that decides between two changes of one instant.
    public static func < (one: MessageID, other: MessageID) -> Bool { one.value < other.value }
}

/// Names an attachment, and binds its encryption to this name. Never used for another file.
public typealias AttachmentID = RandomID<AttachmentTag>
/// Tag of `AttachmentID`.
public enum AttachmentTag {}

extension AttachmentID {
    /// What the file's encryption is bound to: LP("SealedPush/1 attachment") ‖ id, 40 bytes.
    package var context: [UInt8] { Binding.context(Binding.attachmentContext) + rawRepresentation }
}

/// Follows one push to one device through logs. Unauthenticated, and never a key for anything.
public typealias Trace = RandomID<TraceTag>
/// Tag of `Trace`.
public enum TraceTag {}

/// The right to say once that one message arrived: its sender made it for one recipient, and the place that takes receipts
/// keeps a hash of it (docs/protocol.md, section 6). It goes with the message, sealed, so that nobody has it who could not
/// open the message. Never used for another message or recipient.
public typealias ReceiptCapability = RandomID<ReceiptTag>
/// Tag of `ReceiptCapability`.
public enum ReceiptTag {}

// The only id that is a secret: whoever has its bytes can use them, so no description has them.
extension ReceiptCapability: CustomStringConvertible, CustomReflectable {
    /// Without the bytes.
    public var description: String { "ReceiptCapability" }
    /// Without the bytes, too.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
