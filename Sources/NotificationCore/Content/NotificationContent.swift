public import Envelope
public import Keys
public import Opening

/// What to put on the screen, built from nothing: no word, sound, badge, category or link of the push itself is in it.
public struct NotificationContent: Equatable, Sendable {
    /// The first line.
    public internal(set) var title: String
    /// The second line; empty for none.
    public internal(set) var subtitle = ""
    /// The text.
    public internal(set) var body: String
    /// Groups notifications; empty for none.
    public internal(set) var threadID = ""
    /// The notification's category, one that the app allows; empty for none.
    public internal(set) var category = ""
    /// What is heard; nil for silence.
    public internal(set) var sound: Sound?
    /// The number for the app's icon: nil leaves it as it is, 0 hides it.
    public internal(set) var badge: Int?
    /// How far it may interrupt.
    public internal(set) var level = Level.active
    /// 0 to 1, for the notification summary.
    public internal(set) var relevanceScore = 0.0
    /// What the app shall open; empty for nothing.
    public internal(set) var targetContentID = ""
    /// Small values for the app, by names that it allows.
    public internal(set) var info: [String: Message.InfoValue] = [:]
    /// Who speaks, for a communication notification; nil where nobody's name is known.
    public internal(set) var sender: Sender?
    /// Media files that go with the text.
    public var attachments: [Attachment] = []
    /// The message's attachments that are not among them, or only by their thumbnails.
    public internal(set) var missingAttachments: [MissingAttachment] = []
    /// The one thing of the push that is kept: it follows the push through logs.
    public internal(set) var trace: String?
    /// Why this is shown. Nobody looked at what `kind` says was not opened in time, or left to the app: it is `notSealed`.
    public let outcome: Outcome
    /// The row in the table of what is shown; the word for the app's logs.
    public internal(set) var kind: OutcomeKind
    /// Whether nothing is to be seen or heard: there is no text, and iOS shows nothing, by the app's entitlement.
    public internal(set) var isSuppressed = false
    /// Notifications on the screen that this one takes away, by the identifiers of their requests.
    public internal(set) var replacedRequestIDs: [String] = []
    /// What the screen shows under this push's identifier already. It stays there: to be handed back, in silence, in the
    /// place of all of the above.
    public internal(set) var kept: ListedNotification?
    /// What the app has not set up, where that is why its own words are shown: worth a line in the extension's log.
    public internal(set) var setupWarning: SetupWarning?

    /// To be given back to the replay window once iOS has the content.
    let claim: ReplayClaim?
    /// What the request's identifier is remembered under, once iOS has the content.
    var requestKeys: [RequestMap.Key] = []
    /// Whether the message came before, and may be on the screen under this push's identifier.
    var mayBeListed = false
    /// Whether a message is shown that may have attachments; its words, or the app's where it has none to be seen.
    var takesAttachments = false
    /// Of the request that brought the push; nil where the caller did not say.
    var requestID: String?

    /// Apple's interruption levels.
    public enum Level: Hashable, Sendable, CaseIterable {
        /// Into the list, without lighting up the screen.
        case passive
        /// As usual.
        case active
        /// Through a focus, by a right of the contact's.
        case timeSensitive
        /// Through silence, by a right of the contact's.
        case critical
    }

    /// A sound to play.
    public enum Sound: Hashable, Sendable {
        /// The system's own.
        case `default`
        /// A file of the app's.
        case named(String)
        /// Through silence, by a right of the contact's. Without a name the system's own; without a volume, 0 to 1, what
        /// the person has set.
        case critical(name: String?, volume: Double?)
    }

    /// A media file.
    public struct Attachment: Hashable, Sendable {
        /// Unique within the notification.
        public let id: String
        /// A file of the extension's own: iOS moves it away.
        public let path: String
        /// The uniform type identifier: `public.jpeg`, say.
        public let type: String

        /// - Parameters:
        ///   - id: unique within the notification.
        ///   - path: a file that may be moved away.
        ///   - type: the uniform type identifier.
        public init(id: String, path: String, type: String) {
            self.id = id
            self.path = path
            self.type = type
        }
    }

    /// One of the app's own texts.
    init(_ text: String, title: String, outcome: Outcome, kind: OutcomeKind, claim: ReplayClaim?) {
        self.title = title
        body = text
        self.outcome = outcome
        self.kind = kind
        self.claim = claim
    }

    /// Whose signature the message carries: also a stranger's, of whom nothing else is shown.
    public var senderKey: SenderKey? {
        switch outcome {
        case .opened(let opened): opened.sender
        case .unverifiedSender(let key): key
        default: nil
        }
    }

    /// What a caller hands over, opaque to all but the app; nil where nobody calls.
    public var call: String? {
        guard case .opened(let opened) = outcome, case .call(let call) = opened.message.operation else { return nil }
        return call
    }
}
