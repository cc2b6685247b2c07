/// Authorization of an app to post notifications.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unauthorizationstatus
public enum UNAuthorizationStatus: Int, Sendable {
    /// Person not asked.
    case notDetermined = 0
    /// Denied.
    case denied = 1
    /// Authorized.
    case authorized = 2
    /// Authorized to post quietly.
    case provisional = 3
    /// Authorized for a limited time, as an App Clip.
    case ephemeral = 4
}

/// State of a single setting.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationsetting
public enum UNNotificationSetting: Int, Sendable {
    /// App not entitled to it.
    case notSupported = 0
    /// Turned off by the person.
    case disabled = 1
    /// Turned on.
    case enabled = 2
}

/// Person's notification settings for the app. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationsettings
open class UNNotificationSettings: NSObject, NSCopying {
    /// All settings as one value, for a simulated system; nothing is allowed by default.
    package struct Values: Sendable, Equatable {
        package var authorizationStatus = UNAuthorizationStatus.notDetermined
        package var alert = UNNotificationSetting.disabled
        package var badge = UNNotificationSetting.disabled
        package var sound = UNNotificationSetting.disabled
        package var criticalAlert = UNNotificationSetting.notSupported
        package var timeSensitive = UNNotificationSetting.notSupported

        package init() {}
    }

    private let values: Values

    package init(_ values: Values) {
        self.values = values
    }

    /// Authorization to post notifications.
    open var authorizationStatus: UNAuthorizationStatus { values.authorizationStatus }
    /// Setting for alerts.
    open var alertSetting: UNNotificationSetting { values.alert }
    /// Setting for the badge.
    open var badgeSetting: UNNotificationSetting { values.badge }
    /// Setting for sounds.
    open var soundSetting: UNNotificationSetting { values.sound }
    /// Setting for critical alerts.
    open var criticalAlertSetting: UNNotificationSetting { values.criticalAlert }
    /// Setting for time-sensitive notifications.
    open var timeSensitiveSetting: UNNotificationSetting { values.timeSensitive }

    /// Returns self: it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }
}
