internal import UserNotifications

/// State behind `UNUserNotificationCenter` in the extension's process, as of the push's arrival.
struct HostScreenState: Codable {
    /// More than a person scrolls through, and few enough for a line.
    private static let countMax = 64

    /// Newest first.
    var notifications: [Notification] = []
    var settings = Settings()

    struct Notification: Codable {
        let identifier: String
        let date: Date
        let content: ShownContent

        init(_ notification: UNNotification) {
            identifier = notification.request.identifier
            date = notification.date
            content = ShownContent(notification.request.content)
        }

        /// New object each time.
        var object: UNNotification {
            let request = UNNotificationRequest(
                identifier: identifier,
                content: content.notificationContent(),
                trigger: UNPushNotificationTrigger()
            )
            return UNNotification(date: date, request: request)
        }
    }

    /// Settings as Apple's raw values.
    struct Settings: Codable {
        var authorizationStatus = 0
        var alert = 0
        var badge = 0
        var sound = 0
        var criticalAlert = 0
        var timeSensitive = 0
    }

    init() {}

    init(_ system: any NotificationSystem) {
        notifications = system.deliveredNotifications().prefix(Self.countMax).map { Notification($0) }
        settings = Settings(system.settings)
    }
}

enum HostScreenChange: Codable, Equatable {
    case removed([String])
    case removedAll
    case badge(Int)

    func apply(to system: any NotificationSystem) {
        switch self {
        case .removed(let identifiers): system.removeDeliveredNotifications(withIdentifiers: identifiers)
        case .removedAll: system.removeAllDeliveredNotifications()
        case .badge(let count): system.setBadgeCount(count)
        }
    }
}

extension HostScreenState.Settings {
    init(_ values: UNNotificationSettings.Values) {
        self.init(
            authorizationStatus: values.authorizationStatus.rawValue,
            alert: values.alert.rawValue,
            badge: values.badge.rawValue,
            sound: values.sound.rawValue,
            criticalAlert: values.criticalAlert.rawValue,
            timeSensitive: values.timeSensitive.rawValue
        )
    }

    var values: UNNotificationSettings.Values {
        var values = UNNotificationSettings.Values()
        values.authorizationStatus = UNAuthorizationStatus(rawValue: authorizationStatus) ?? .notDetermined
        values.alert = UNNotificationSetting(rawValue: alert) ?? .disabled
        values.badge = UNNotificationSetting(rawValue: badge) ?? .disabled
        values.sound = UNNotificationSetting(rawValue: sound) ?? .disabled
        values.criticalAlert = UNNotificationSetting(rawValue: criticalAlert) ?? .notSupported
        values.timeSensitive = UNNotificationSetting(rawValue: timeSensitive) ?? .notSupported
        return values
    }
}
