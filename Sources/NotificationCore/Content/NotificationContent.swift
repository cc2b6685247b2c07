public import Envelope
public import Keys
public import Opening

/// Content to show, built from scratch: no text, sound, badge, category or link of the push itself.
public struct NotificationContent: Equatable, Sendable {
    /// First line.
    public internal(set) var title: String
    /// Second line; empty for none.
    public internal(set) var subtitle = ""
    /// Text.
    public internal(set) var body: String
    /// Thread identifier; empty for none.
    public internal(set) var threadID = ""
    /// Allowed category; empty for none.
    public internal(set) var category = ""
    /// Sound; nil for silence.
    public internal(set) var sound: Sound?
    /// Badge number: nil leaves it unchanged, 0 hides it.
    public internal(set) var badge: Int?
    /// Interruption level.
    public internal(set) var level = Level.active
    /// Relevance in the notification summary, 0 to 1.
    public internal(set) var relevanceScore = 0.0
    /// Target for the app to open; empty for none.
    public internal(set) var targetContentID = ""
    /// Small values for the app.
    public internal(set) var info: [String: Message.InfoValue] = [:]
    /// Sender for a communication notification; nil without a name.
    public internal(set) var sender: Sender?
    /// Media files to show.
    public var attachments: [Attachment] = []
    /// Attachments not in `attachments`, or only as thumbnails.
    public internal(set) var missingAttachments: [MissingAttachment] = []
    /// Account that the push is for; nil if unknown, or in an app with one account.
    public internal(set) var account: AccountName?
    /// Trace of the push for log lines.
    public internal(set) var trace: String?
    /// Reason for this content; `notSealed` if the push was not opened in time or left to the app.
    public let outcome: Outcome
    /// Row in the table of shown content.
    public internal(set) var kind: OutcomeKind
    /// True if iOS shows nothing: there is no text, and the app has the entitlement.
    public internal(set) var isSuppressed = false
    /// Request identifiers of delivered notifications to remove.
    public internal(set) var replacedRequestIDs: [String] = []
    /// Delivered notification to hand back silently, instead of all of the above.
    public internal(set) var kept: ListedNotification?
    /// Missing setup behind the app's own text, for the extension's log.
    public internal(set) var setupWarning: SetupWarning?

    /// Claim to commit.
    let claim: ReplayClaim?
    /// Keys to record for the request.
    var requestKeys: [RequestMap.Key] = []
    /// True for a repeated message that may be delivered under this identifier.
    var mayBeListed = false
    /// True if attachments are to be fetched; the text may be the app's.
    var takesAttachments = false
    var requestID: String?

    /// Apple's interruption levels.
    public enum Level: Hashable, Sendable, CaseIterable {
        /// List only, screen stays dark.
        case passive
        /// Default.
        case active
        /// Breaks through a focus, by a contact's right.
        case timeSensitive
        /// Breaks through silence, by a contact's right.
        case critical
    }

    /// Sound to play.
    public enum Sound: Hashable, Sendable {
        /// System sound.
        case `default`
        /// File of the app.
        case named(String)
        /// Breaks through silence, by a contact's right. Nil: the system sound, the person's volume (0 to 1).
        case critical(name: String?, volume: Double?)
    }

    /// Media file.
    public struct Attachment: Hashable, Sendable {
        /// Unique within the notification.
        public let id: String
        /// File of the extension; iOS moves it away.
        public let path: String
        /// Uniform type identifier, such as `public.jpeg`.
        public let type: String

        /// Creates an attachment.
        public init(id: String, path: String, type: String) {
            self.id = id
            self.path = path
            self.type = type
        }
    }

    init(_ text: String, title: String, outcome: Outcome, kind: OutcomeKind, claim: ReplayClaim?) {
        self.title = title
        body = text
        self.outcome = outcome
        self.kind = kind
        self.claim = claim
    }

    /// Key that signed the message, even an unknown sender's.
    public var senderKey: SenderKey? {
        switch outcome {
        case .opened(let opened): opened.sender
        case .unverifiedSender(let key): key
        default: nil
        }
    }

    /// Caller's data, opaque to all but the app; nil without a call.
    public var call: String? {
        guard case .opened(let opened) = outcome, case .call(let call) = opened.message.operation else { return nil }
        return call
    }
}
