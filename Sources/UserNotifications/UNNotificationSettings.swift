/// Whether the app may post notifications.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unauthorizationstatus
public enum UNAuthorizationStatus: Int, Sendable {
    /// The person was not asked.
    case notDetermined = 0
    /// Not.
    case denied = 1
    /// It may.
    case authorized = 2
    /// It may, quietly.
    case provisional = 3
    /// An App Clip may, for a while.
    case ephemeral = 4
}

/// Whether the app may do one thing.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationsetting
public enum UNNotificationSetting: Int, Sendable {
    /// The app is not entitled to it.
    case notSupported = 0
    /// The person turned it off.
    case disabled = 1
    /// It may.
    case enabled = 2
}

/// What the person allowed the app. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationsettings
open class UNNotificationSettings: NSObject, NSCopying {
    /// All of them as one value, for whoever plays the system: nothing allowed at first.
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

    /// Whether the app may post notifications.
    open var authorizationStatus: UNAuthorizationStatus { values.authorizationStatus }
    /// Whether it may show alerts.
    open var alertSetting: UNNotificationSetting { values.alert }
    /// Whether it may set its badge.
    open var badgeSetting: UNNotificationSetting { values.badge }
    /// Whether it may play sounds.
    open var soundSetting: UNNotificationSetting { values.sound }
    /// Whether it may play critical sounds.
    open var criticalAlertSetting: UNNotificationSetting { values.criticalAlert }
    /// Whether it may send time-sensitive notifications.
    open var timeSensitiveSetting: UNNotificationSetting { values.timeSensitive }

    /// Settings cannot change, so their copy is themselves.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }
}
