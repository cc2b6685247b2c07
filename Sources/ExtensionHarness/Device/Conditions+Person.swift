public import UserNotifications

/// What the person and Apple allow the app: it decides how a notification appears.
extension Device {
    /// What Apple granted to the app.
    public struct Entitlements: OptionSet, Sendable, Hashable {
        /// A bit for each.
        public let rawValue: Int

        /// - Parameter rawValue: A bit for each.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// `com.apple.developer.usernotifications.filtering`: an empty answer shows nothing at all.
        public static let filtering = Entitlements(rawValue: 1 << 0)
        /// `com.apple.developer.usernotifications.communication`: the sender's face beside the text.
        public static let communication = Entitlements(rawValue: 1 << 1)
        /// `com.apple.developer.usernotifications.time-sensitive`.
        public static let timeSensitive = Entitlements(rawValue: 1 << 2)
        /// `com.apple.developer.usernotifications.critical-alerts`.
        public static let criticalAlerts = Entitlements(rawValue: 1 << 3)
        /// `com.apple.developer.default-data-protection` with `NSFileProtectionComplete`: files without a class of their own
        /// can be opened and made only while the device is unlocked.
        public static let completeProtection = Entitlements(rawValue: 1 << 4)
    }

    /// What the person allowed the app.
    public enum Alerts: Sendable, Equatable, CaseIterable {
        /// Asked, and allowed.
        case on
        /// Turned off in Settings.
        case off
        /// Never asked: the app has provisional authorization, its notifications come quietly.
        case provisional
    }

    /// Whether a Focus is on.
    public enum Focus: Sendable, Equatable {
        /// None is.
        case off
        /// One is. The app may be among those that it allows; what is time-sensitive may pass unless turned off.
        case on(allowsApp: Bool = false, allowsTimeSensitive: Bool = true)
    }

    /// Whether the app is in front.
    public enum App: Sendable, Equatable {
        /// Not running, or not in front.
        case inBackground
        /// In front: its delegate's `userNotificationCenter(_:willPresent:)` returns these options.
        case inForeground(willPresent: UNNotificationPresentationOptions)
    }
}
