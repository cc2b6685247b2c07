/// Text to show, or an operation on earlier ones. It travels as the sealed body (docs/protocol.md, section 6).
///
/// Signed is not trusted: the device allows members by the sender's role and rights.
public struct Message: Hashable, Sendable {
    /// The operation; usually show.
    public var operation: Operation = .show
    /// The title; empty for none.
    public var title: String
    /// Line under the title; empty for none.
    public var subtitle: String
    /// Text, which may be cut to fit.
    public var body: String
    /// Conversation that groups notifications; empty for none.
    public var threadID: String
    /// The title as a key of the app's own tables.
    public var localizedTitle: LocalizedText?
    /// Subtitle as a key of the app's own tables.
    public var localizedSubtitle: LocalizedText?
    /// Text as a key of the app's own tables.
    public var localizedBody: LocalizedText?
    /// Category, if the app allows it; empty for none.
    public var category = ""
    /// The sound, if the app allows it.
    public var sound: Sound?
    /// Interruption level; nil counts as active.
    public var level: InterruptionLevel?
    /// 0 to 1, for the notification summary.
    public var relevanceScore: UnitDecimal?
    /// Number on the app's icon, 0 to 9,999; services only.
    public var badge: Int?
    /// Content to open; needs a right. Empty for none.
    public var targetContentID = ""
    /// Displayed sender; services only.
    public var senderName = ""
    /// Values for the app, by names that it allows; at most 16.
    public var userInfo: [String: InfoValue] = [:]
    /// Files to show, in order; at most 4, and only for `show` and `replace`.
    public var attachments: [AttachmentPointer] = []
    /// Requests a receipt, which the app must have turned on.
    public var receipt: ReceiptCapability?
    /// Members that the device must understand.
    public var criticalNames: [String] = []

    /// Creates a message of plain text. Title or body is needed: iOS ignores a notification without text.
    public init(title: String = "", subtitle: String = "", body: String = "", threadID: String = "") {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.threadID = threadID
    }

    /// Treatment of too long a message.
    public enum Overflow: Equatable, Sendable {
        /// Cuts `body` at the end of a grapheme cluster.
        case shorten
        /// Throws, with the number of bytes too many.
        case refuse
    }

    var hasText: Bool {
        !title.isEmpty || !body.isEmpty || localizedTitle != nil || localizedBody != nil
    }
}

/// Errors of a message. Names fields, never contents.
public enum MessageError: Error, Equatable {
    /// Neither title nor body, in words or as a key.
    case noText
    /// NUL cannot be shown, and some readers end a text there.
    case containsNUL
    /// The badge, the user info, incompatible attachments, or an unknown critical name.
    case invalid(member: String)
    /// Attachments' bytes of JSON, and the room with the shortest text.
    case noRoomForAttachments(byteCount: Int, roomByteCount: Int)
    /// Excess in bytes of JSON; for `.shorten`, after shortening `body`.
    case tooLong(excessByteCount: Int)
    /// Not the protocol's JSON object.
    case malformed
    /// Unknown operation or critical member.
    case unsupported
}
