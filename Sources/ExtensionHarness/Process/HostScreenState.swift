internal import UserNotifications

/// State behind `UNUserNotificationCenter` in the extension's process, as of the push's arrival.
struct HostScreenState: Codable {
    /// More than a person scrolls through, and few enough for a line.
    private static let countMax = 64

    /// Newest first.
    var notifications: [Notification] = []
    var settings = Settings()
    /// In order of addition.
    var pending: [LocalNotification] = []
    var categories: [UNNotificationCategory.Description] = []

    struct Notification: Codable {
        let identifier: String
        let date: Date
        let content: ShownContent
        let isPush: Bool
        var trigger: LocalTrigger?

        init(_ local: LocalNotification) {
            identifier = local.identifier
            date = local.date
            content = local.content
            isPush = false
            trigger = local.trigger
        }

        init(_ notification: UNNotification) {
            identifier = notification.request.identifier
            date = notification.date
            content = ShownContent(notification.request.content)
            isPush = notification.request.trigger is UNPushNotificationTrigger
            trigger = LocalTrigger(notification.request.trigger)
        }

        /// New object each time.
        var object: UNNotification {
            let request = UNNotificationRequest(
                identifier: identifier,
                content: content.notificationContent(),
                trigger: isPush ? UNPushNotificationTrigger() : trigger?.notificationTrigger
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
        pending = system.pendingNotificationRequests().prefix(Self.countMax).map { LocalNotification($0, at: Date()) }
        categories = system.categories
    }
}

enum HostScreenChange: Codable, Equatable {
    case removed([String])
    case removedAll
    case badge(Int)
    case added(LocalNotification)
    case removedPending([String])
    case removedAllPending
    case categories([UNNotificationCategory.Description])
    case donated(Communication)

    func apply(to system: any NotificationSystem) {
        switch self {
        case .removed(let identifiers): system.removeDeliveredNotifications(withIdentifiers: identifiers)
        case .removedAll: system.removeAllDeliveredNotifications()
        case .badge(let count): system.setBadgeCount(count)
        case .added(let local):
            // Checked by the process; a file may be gone since.
            if local.isPlausible { try? system.add(local.request, at: local.date) }
        case .removedPending(let identifiers):
            system.removePendingNotificationRequests(withIdentifiers: identifiers)
        case .removedAllPending: system.removeAllPendingNotificationRequests()
        case .categories(let categories): system.setCategories(categories)
        case .donated(let communication): system.donate(communication)
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
