public import UserNotifications

/// Permissions by the person and by Apple.
extension Device {
    /// Entitlements that Apple granted to the app.
    public struct Entitlements: OptionSet, Sendable, Hashable {
        /// One bit for each entitlement.
        public let rawValue: Int

        /// Creates a set.
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
        /// `com.apple.developer.default-data-protection` with `NSFileProtectionComplete`: files without a class of
        /// their own can be opened and created only while the device is unlocked.
        public static let completeProtection = Entitlements(rawValue: 1 << 4)
    }

    /// Person's permission to notify.
    public enum Alerts: Sendable, Equatable, CaseIterable {
        /// Granted by the person.
        case on
        /// Turned off in Settings.
        case off
        /// Provisional authorization: never asked, and notifications come quietly.
        case provisional
    }

    /// State of the Focus.
    public enum Focus: Sendable, Equatable {
        /// No Focus is on.
        case off
        /// Focus on. It may allow the app; time-sensitive notifications may pass unless turned off.
        case on(allowsApp: Bool = false, allowsTimeSensitive: Bool = true)
    }

    /// App's place on the screen.
    public enum App: Sendable, Equatable {
        /// Not running, or not in front.
        case inBackground
        /// In front: its delegate's `userNotificationCenter(_:willPresent:)` returns these options.
        case inForeground(willPresent: UNNotificationPresentationOptions)
    }
}
