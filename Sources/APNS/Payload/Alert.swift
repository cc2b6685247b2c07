/// What a notification shows: `aps.alert`.
///
/// - Source: "Generating a remote notification", tables 1 and 2; "Starting and updating Live Activities with ActivityKit
///   push notifications".
public struct Alert: Sendable, Equatable {
    /// A text, or the key of one in the app's own tables of strings.
    public enum Text: Sendable, Equatable {
        /// Shown as it is.
        case plain(String)
        /// Looked up in `Localizable.strings`; the arguments stand in for `%@` and `%n$@`.
        case localized(key: String, arguments: [String] = [])
    }

    /// The first line.
    public var title: Text?
    /// The line below the title.
    public var subtitle: Text?
    /// The message.
    public var body: Text?
    /// The file that is shown while the app starts.
    public var launchImage: String?
    /// The button's text, in website pushes.
    public var action: String?
    /// In a Live Activity, where the sound stands inside the alert.
    public var sound: String?
    let isString: Bool

    /// A dictionary, as Apple advises.
    public init(
        title: Text? = nil,
        subtitle: Text? = nil,
        body: Text? = nil,
        launchImage: String? = nil,
        action: String? = nil,
        sound: String? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.launchImage = launchImage
        self.action = action
        self.sound = sound
        isString = false
    }

    /// The short form, `"alert":"…"`. Written so as long as nothing but the body is set.
    public init(_ body: String) {
        self.body = .plain(body)
        isString = true
    }
}

extension Alert.Text: ExpressibleByStringLiteral {
    /// Shown as it is.
    public init(stringLiteral value: String) { self = .plain(value) }
}

/// What is heard: `aps.sound`.
public enum Sound: Sendable, Equatable {
    /// A file in the app or in its `Library/Sounds`; `default` is the system's sound.
    case named(String)
    /// One that sounds in spite of the mute switch; the app needs Apple's entitlement for it. The volume is 0 ... 1.
    case critical(name: String, volume: Double)

    /// The system's sound.
    public static let `default` = Sound.named("default")
}
