/// What a person will read, or what a device shall do with what was read. It travels as the sealed body, a JSON object
/// (docs/protocol.md, section 6).
///
/// Signed is not trusted: who may use which member is decided on the device, by the sender's role and rights.
public struct Message: Hashable, Sendable {
    /// What the device shall do: show, as a rule.
    public var operation: Operation = .show
    /// Shown first; empty for none.
    public var title: String
    /// Shown under the title; empty for none.
    public var subtitle: String
    /// The text itself; shortened when the whole does not fit, if the sender allows that.
    public var body: String
    /// Groups notifications of one conversation; empty for none.
    public var threadID: String
    /// The title as a key of the app's own tables, instead of words.
    public var localizedTitle: LocalizedText?
    /// The subtitle as a key of the app's own tables.
    public var localizedSubtitle: LocalizedText?
    /// The text as a key of the app's own tables.
    public var localizedBody: LocalizedText?
    /// The notification's category, if the app allows it; empty for none.
    public var category = ""
    /// A sound, if the app allows it.
    public var sound: Sound?
    /// How far it may interrupt; nil counts as active.
    public var level: InterruptionLevel?
    /// 0 to 1, for the notification summary.
    public var relevanceScore: UnitDecimal?
    /// The number on the app's icon, 0 to 9,999. For a service only.
    public var badge: Int?
    /// What the app shall open; for contacts with that right. Empty for none.
    public var targetContentID = ""
    /// The displayed sender. For a service only: a person's name comes from the contact list.
    public var senderName = ""
    /// Small values for the app, by names that it allows; at most 16.
    public var userInfo: [String: InfoValue] = [:]
    /// Files to show with the text, in this order; at most 4, and only for `show` and `replace`.
    public var attachments: [AttachmentPointer] = []
    /// Asks for a word that the message arrived. A device gives it only if its app turned that on.
    public var receipt: ReceiptCapability?
    /// Names of members without which the device must not show the message.
    public var criticalNames: [String] = []

    /// A message of plain text. To be shown it needs a title or a body: iOS ignores a notification without text.
    public init(title: String = "", subtitle: String = "", body: String = "", threadID: String = "") {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.threadID = threadID
    }

    /// What to do with a message that is longer than the constant length allows.
    public enum Overflow: Equatable, Sendable {
        /// Shorten `body` at the end of a grapheme cluster and mark the message as truncated.
        case shorten
        /// Throw, with the number of bytes too many.
        case refuse
    }

    var hasText: Bool {
        !title.isEmpty || !body.isEmpty || localizedTitle != nil || localizedBody != nil
    }
}

/// Why a message cannot be sealed, or why what was opened is no message. Names fields, never their contents.
public enum MessageError: Error, Equatable {
    /// Nothing to show: neither title nor body, in words or as a key.
    case noText
    /// NUL cannot be shown, and some readers end a text there.
    case containsNUL
    /// A member outside its range: the badge, the user info, attachments that cannot stand together, a name that is not
    /// known to be critical.
    case invalid(member: String)
    /// The attachments take so many bytes of encoded JSON, and beside the rest of the message, its text shortened to the
    /// least, there is room for so many.
    case noRoomForAttachments(byteCount: Int, roomByteCount: Int)
    /// Too long by so many bytes of encoded JSON; where shortening `body` was allowed, by so many even after that.
    case tooLong(excessByteCount: Int)
    /// The body was not the JSON object that the protocol asks for.
    case malformed
    /// An operation, or something marked critical, that this version does not know.
    case unsupported
}
