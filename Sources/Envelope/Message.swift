/// What a person will read. It travels as the sealed body, a JSON object (docs/protocol.md, "Body").
public struct Message: Hashable, Sendable {
    /// Shown first; empty for none.
    public var title: String
    /// Shown under the title; empty for none.
    public var subtitle: String
    /// The text itself; shortened when the whole does not fit, if the sender allows that.
    public var body: String
    /// Groups notifications of one conversation; empty for none.
    public var threadID: String

    /// A message of plain text. Title and body may not both be empty: iOS ignores a notification without text.
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
}

/// Why a message cannot be sealed, or why what was opened is no message. Names fields, never their contents.
public enum MessageError: Error, Equatable {
    /// Neither title nor body.
    case noText
    /// NUL cannot be shown, and some readers end a text there.
    case containsNUL
    /// Too long by so many bytes of encoded JSON; where shortening `body` was allowed, by so many even after that.
    case tooLong(excessByteCount: Int)
    /// The body was not the JSON object that the protocol asks for.
    case malformed
    /// An operation, or something marked critical, that this version does not know.
    case unsupported
}

// The sealed body's member names.
extension Message {
    static let titleName = "title"
    static let subtitleName = "subtitle"
    static let bodyName = "body"
    static let threadIDName = "thread-id"

    /// Every optional text with its name, in the order they are written.
    static let textMembers: [(name: String, path: any WritableKeyPath<Message, String> & Sendable)] = [
        (titleName, \.title), (subtitleName, \.subtitle), (bodyName, \.body), (threadIDName, \.threadID),
    ]

    var hasText: Bool { !title.isEmpty || !body.isEmpty }
}
