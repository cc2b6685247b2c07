import Localization

/// What is shown for each outcome: an app's constants, in one value, with safe defaults (docs/what-is-shown.md).
///
///     var display = DisplayPolicy(texts: FailureTexts(title: "Acme Chat", newMessage: "You have a new message"))
///     display[.expired].isSuppressed = true
///
/// Only what opened has words of its sender's, and no row can give words to anything else.
public struct DisplayPolicy: Equatable, Sendable {
    /// One row of the table.
    public struct Row: Equatable, Sendable {
        /// Which of the app's texts is shown; for `opened` and `unauthenticated`, only where the message has none that
        /// can be seen.
        public var text: FailureTexts.Name
        /// What is heard.
        public var sound: SoundRule
        /// How far one of the app's texts may interrupt. A message's own level is the message's, by right.
        public var level: NotificationContent.Level
        /// Better not shown at all. It takes `hasFilteringEntitlement`; without, the neutral text is shown in silence.
        public var isSuppressed: Bool

        /// - Parameters:
        ///   - text: which of the app's texts.
        ///   - sound: silence by default.
        ///   - level: of the app's text.
        ///   - isSuppressed: whether to show nothing.
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

    /// What is heard.
    public enum SoundRule: Hashable, Sendable {
        /// Silence.
        case none
        /// The system's sound.
        case `default`
        /// What the message names and may; silence otherwise.
        case message
        /// What the message names and may; the system's sound otherwise.
        case messageOrDefault
    }

    /// The app's own words.
    public var texts: FailureTexts
    /// Whether the app has `com.apple.developer.usernotifications.filtering`. With it, a notification without text is
    /// not shown; without it, iOS shows the words that came with the push instead. False by default, which is right for
    /// an app that does not know: it then never loses a placeholder to the relay's words.
    public var hasFilteringEntitlement = false
    /// Whether messages that are shown raise the number on the app's icon. Only once the app has said what it is, with
    /// `AppDevice.setBadge`.
    public var countsMessages = true

    private(set) var tables: LocalizedTables?
    private var rows: [OutcomeKind: Row] = Self.defaults

    /// The defaults of docs/what-is-shown.md.
    ///
    /// - Parameter texts: the app's own words.
    public init(texts: FailureTexts) { self.texts = texts }

    /// What is shown for an outcome. A message has one row, with its attachments and without.
    public subscript(kind: OutcomeKind) -> Row {
        get { rows[Self.row(of: kind)] ?? Row() }
        set { rows[Self.row(of: kind)] = newValue }
    }

    static func row(of kind: OutcomeKind) -> OutcomeKind {
        kind == .openedWithoutAttachments ? .opened : kind
    }

    /// Where the texts are that messages name by key instead of bringing words.
    ///
    /// - Parameters:
    ///   - folder: holds a folder for each language, with a `Localizable.strings` in it: the app's bundle. An
    ///     extension's own bundle has its own.
    ///   - languages: what the person reads, the best first: `Locale.preferredLanguages`.
    public mutating func setStrings(folder: String, languages: [String]) {
        tables = LocalizedTables(folder: folder, languages: languages)
    }
}
