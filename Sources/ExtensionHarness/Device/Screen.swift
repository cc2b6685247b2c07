import Platform
internal import UserNotifications

/// Answers `UNUserNotificationCenter` for code on the device.
final class Screen: NotificationSystem {
    private let list = Guarded(DeliveredList())
    private let conditions: Guarded<Device.Conditions>

    init(_ conditions: Guarded<Device.Conditions>) {
        self.conditions = conditions
    }

    var notifications: [ShownNotification] { list.withLock { $0.notifications } }

    var badge: Int { list.withLock { $0.badge } }

    func add(_ shown: ShownNotification) {
        list.withLock { $0.add(shown) }
    }

    var settings: UNNotificationSettings.Values {
        let conditions = conditions.withLock { $0 }
        var settings = UNNotificationSettings.Values()
        let isAllowed = conditions.alerts != .off
        switch conditions.alerts {
        case .on: settings.authorizationStatus = .authorized
        case .off: settings.authorizationStatus = .denied
        case .provisional: settings.authorizationStatus = .provisional
        }
        settings.alert = isAllowed ? .enabled : .disabled
        settings.badge = isAllowed ? .enabled : .disabled
        settings.sound = isAllowed ? .enabled : .disabled
        if conditions.entitlements.contains(.criticalAlerts) { settings.criticalAlert = settings.alert }
        if conditions.entitlements.contains(.timeSensitive) { settings.timeSensitive = settings.alert }
        return settings
    }

    func deliveredNotifications() -> [UNNotification] {
        notifications.map { shown in
            let request = UNNotificationRequest(
                identifier: shown.identifier,
                content: shown.content.notificationContent(),
                trigger: UNPushNotificationTrigger()
            )
            return UNNotification(date: shown.date, request: request)
        }
    }

    func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        list.withLock { $0.remove(identifiers) }
    }

    func removeAllDeliveredNotifications() {
        list.withLock { $0.removeAll() }
    }

    func setBadgeCount(_ count: Int) {
        list.withLock { $0.setBadge(count) }
    }
}
