/// Visible content of a notification: `aps.alert`.
///
/// - Source: "Generating a remote notification", tables 1 and 2; "Starting and updating Live Activities with
///   ActivityKit push notifications".
public struct Alert: Sendable, Equatable {
    /// Text, or the key of one in the app's string tables.
    public enum Text: Sendable, Equatable {
        /// Literal text.
        case plain(String)
        /// Key in `Localizable.strings`; the arguments replace `%@` and `%n$@`.
        case localized(key: String, arguments: [String] = [])
    }

    /// First line.
    public var title: Text?
    /// Line below the title.
    public var subtitle: Text?
    /// Message text.
    public var body: Text?
    /// File shown while the app starts.
    public var launchImage: String?
    /// Button text, in website pushes.
    public var action: String?
    /// Sound of a Live Activity, which stands inside the alert.
    public var sound: String?
    let isString: Bool

    /// Creates the dictionary form, which Apple recommends.
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

    /// Creates the short form, `"alert":"…"`. Written as a dictionary once another member is set.
    public init(_ body: String) {
        self.body = .plain(body)
        isString = true
    }
}

extension Alert.Text: ExpressibleByStringLiteral {
    /// Creates a literal text.
    public init(stringLiteral value: String) { self = .plain(value) }
}

/// Sound of a notification: `aps.sound`.
public enum Sound: Sendable, Equatable {
    /// File in the app or in its `Library/Sounds`; `default` is the system's sound.
    case named(String)
    /// Sound that ignores the mute switch; needs Apple's entitlement. The volume is 0 ... 1.
    case critical(name: String, volume: Double)

    /// System sound.
    public static let `default` = Sound.named("default")
}
