import Localization

/// Policy of what is shown for each outcome, with safe defaults (docs/what-is-shown.md).
///
///     var display = DisplayPolicy(texts: FailureTexts(title: "Acme Chat", newMessage: "You have a new message"))
///     display[.expired].isSuppressed = true
///
/// Only opened messages show a sender's text.
public struct DisplayPolicy: Equatable, Sendable {
    /// Row of the table.
    public struct Row: Equatable, Sendable {
        /// App text to show; for `opened`, `muted` and `unauthenticated`, if the message has no visible one.
        public var text: FailureTexts.Name
        /// Sound to play.
        public var sound: SoundRule
        /// Level of an app text, and of a muted message. Another message has its own, by right.
        public var level: NotificationContent.Level
        /// True to show nothing. Without `hasFilteringEntitlement` the neutral text is shown in silence instead.
        public var isSuppressed: Bool

        /// Creates a row; silent by default.
        public init(
            text: FailureTexts.Name = .newMessage,
            sound: SoundRule = .none,
            level: NotificationContent.Level = .active,
            isSuppressed: Bool = false
        ) {
            self.text = text
            self.sound = sound
            self.level = level
            self.isSuppressed = isSuppressed
        }
    }

    /// Choice of sound.
    public enum SoundRule: Hashable, Sendable {
        /// Silence.
        case none
        /// System sound.
        case `default`
        /// Message's own permitted sound, else silence.
        case message
        /// Message's own permitted sound, else the system sound.
        case messageOrDefault
    }

    /// App texts.
    public var texts: FailureTexts
    /// Entitlement `com.apple.developer.usernotifications.filtering`. False is safe: without it iOS shows the push's
    /// text in place of an empty notification.
    public var hasFilteringEntitlement = false
    /// Counts shown messages on the app's icon, once `AppDevice.setBadge` has set a number.
    public var countsMessages = true

    /// Shows, under the title of a server's message, the name that the app gave to the server.
    public var showsServers = true

    /// Name of a message's user info whose `true` means that the person is mentioned; nil for none. The app allows it to
    /// its contacts as any other name.
    public var mentionName: String?

    private(set) var tables: LocalizedTables?
    private var rows: [OutcomeKind: Row] = Self.defaults

    /// Creates the defaults of docs/what-is-shown.md.
    public init(texts: FailureTexts) { self.texts = texts }

    /// One row with or without attachments.
    public subscript(kind: OutcomeKind) -> Row {
        get { rows[Self.row(of: kind)] ?? Row() }
        set { rows[Self.row(of: kind)] = newValue }
    }

    static func row(of kind: OutcomeKind) -> OutcomeKind {
        kind == .openedWithoutAttachments ? .opened : kind
    }

    /// Sets the folder of texts that messages name by key.
    ///
    /// - Parameters:
    ///   - folder: app's bundle, with a `Localizable.strings` in each language's folder; an
    ///     extension's bundle has its own.
    ///   - languages: best first: `Locale.preferredLanguages`.
    public mutating func setStrings(folder: String, languages: [String]) {
        tables = LocalizedTables(folder: folder, languages: languages)
    }
}
