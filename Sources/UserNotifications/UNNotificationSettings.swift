// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Authorization of an app to post notifications.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unauthorizationstatus
public enum UNAuthorizationStatus: Int, Sendable {
    case notDetermined = 0
    case denied = 1
    case authorized = 2
    case provisional = 3
    case ephemeral = 4
}

/// State of a single setting.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationsetting
public enum UNNotificationSetting: Int, Sendable {
    case notSupported = 0
    case disabled = 1
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

    open var authorizationStatus: UNAuthorizationStatus { values.authorizationStatus }
    open var alertSetting: UNNotificationSetting { values.alert }
    open var badgeSetting: UNNotificationSetting { values.badge }
    open var soundSetting: UNNotificationSetting { values.sound }
    open var criticalAlertSetting: UNNotificationSetting { values.criticalAlert }
    open var timeSensitiveSetting: UNNotificationSetting { values.timeSensitive }

    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }
}
