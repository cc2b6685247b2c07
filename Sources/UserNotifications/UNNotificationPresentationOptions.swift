/// App's choice of presentation for a notification that arrives while it is in front.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationpresentationoptions
public struct UNNotificationPresentationOptions: OptionSet, Sendable, Hashable {
    /// One bit for each option, with Apple's values.
    public let rawValue: UInt

    /// Creates options from Apple's bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Sets the number on the app's icon.
    public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)
    /// Plays the sound.
    public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)
    /// Shows it in Notification Center.
    public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)
    /// Shows it as a banner.
    public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)
}
