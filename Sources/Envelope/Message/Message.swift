/// A text to show, or an operation on earlier ones. It travels as the sealed body, a JSON object (docs/protocol.md,
/// section 6).
///
/// Signed is not trusted: the device allows each member by the sender's role and rights.
public struct Message: Hashable, Sendable {
    /// The operation; usually show.
    public var operation: Operation = .show
    /// The title; empty for none.
    public var title: String
    /// The line under the title; empty for none.
    public var subtitle: String
    /// The text. Cut if the message is too long and the sender allows it.
    public var body: String
    /// The conversation that groups notifications; empty for none.
    public var threadID: String
    /// The title as a key of the app's own tables.
    public var localizedTitle: LocalizedText?
    /// The subtitle as a key of the app's own tables.
    public var localizedSubtitle: LocalizedText?
    /// The text as a key of the app's own tables.
    public var localizedBody: LocalizedText?
    /// The category, if the app allows it; empty for none.
    public var category = ""
    /// A sound, if the app allows it.
    public var sound: Sound?
    /// The interruption level; nil counts as active.
    public var level: InterruptionLevel?
    /// 0 to 1, for the notification summary.
    public var relevanceScore: UnitDecimal?
    /// The number on the app's icon, 0 to 9,999. For a service only.
    public var badge: Int?
    /// The content to open, for contacts with that right. Empty for none.
    public var targetContentID = ""
    /// The displayed sender. For a service only: a person's name comes from the contact list.
    public var senderName = ""
    /// Values for the app, by names that it allows; at most 16.
    public var userInfo: [String: InfoValue] = [:]
    /// Files shown with the text, in order; at most 4, and only for `show` and `replace`.
    public var attachments: [AttachmentPointer] = []
    /// The capability for a receipt. A device sends one only if its app turned that on.
    public var receipt: ReceiptCapability?
    /// Members that the device must understand to show the message.
    public var criticalNames: [String] = []

    /// Creates a message of plain text. It needs a title or a body: iOS ignores a notification without text.
    public init(title: String = "", subtitle: String = "", body: String = "", threadID: String = "") {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.threadID = threadID
    }

    /// The treatment of a message beyond the constant length.
    public enum Overflow: Equatable, Sendable {
        /// Cuts `body` at the end of a grapheme cluster and marks the message as truncated.
        case shorten
        /// Throws, with the number of bytes too many.
        case refuse
    }

    var hasText: Bool {
        !title.isEmpty || !body.isEmpty || localizedTitle != nil || localizedBody != nil
    }
}

/// Errors of sealing or opening a message. Names fields, never contents.
public enum MessageError: Error, Equatable {
    /// Neither title nor body, in words or as a key.
    case noText
    /// NUL cannot be shown, and some readers end a text there.
    case containsNUL
    /// A member out of range: the badge, the user info, incompatible attachments, an unknown critical name.
    case invalid(member: String)
    /// The attachments' bytes of encoded JSON, and the room beside the rest with the shortest text.
    case noRoomForAttachments(byteCount: Int, roomByteCount: Int)
    /// The excess in bytes of encoded JSON; for `.shorten`, after shortening `body`.
    case tooLong(excessByteCount: Int)
    /// The body is not the protocol's JSON object.
    case malformed
    /// An unknown operation or critical member.
    case unsupported
}
