private import Platform

/// System behind `UNUserNotificationCenter`, of a simulated device or an extension's whole process. Without one the
/// center has no notifications.
package protocol NotificationSystem: Sendable {
    var settings: UNNotificationSettings.Values { get }
    /// New objects each time, newest notification first.
    func deliveredNotifications() -> [UNNotification]
    func removeDeliveredNotifications(withIdentifiers identifiers: [String])
    func removeAllDeliveredNotifications()
    func setBadgeCount(_ count: Int)
    /// - Parameter date: Device's date.
    func add(_ request: UNNotificationRequest, at date: Date) throws(UNError)
    /// New objects each time, in order of addition.
    func pendingNotificationRequests() -> [UNNotificationRequest]
    func removePendingNotificationRequests(withIdentifiers identifiers: [String])
    func removeAllPendingNotificationRequests()
    var categories: [UNNotificationCategory.Description] { get }
    func setCategories(_ categories: [UNNotificationCategory.Description])
    func donate(_ communication: Communication)
}

/// Center's current system.
package enum CurrentNotificationSystem {
    private static let ofProcess = Guarded<(any NotificationSystem)?>(nil)

    package static var current: (any NotificationSystem)? {
        SimulatedDevice.current?.system as? any NotificationSystem ?? ofProcess.withLock { $0 }
    }

    /// Makes a system current for the whole process.
    package static func occupyProcess(with system: any NotificationSystem) {
        ofProcess.withLock { $0 = system }
    }
}

extension UNNotificationRequest {
    /// Apple's reason not to add the request, attachments apart.
    package func problem(_ settings: UNNotificationSettings.Values, at date: Date) -> UNError.Code? {
        switch settings.authorizationStatus {
        case .denied, .notDetermined: return .notificationsNotAllowed
        case .authorized, .provisional, .ephemeral: break
        }
        let hasText = [content.title, content.subtitle, content.body].contains { !$0.isEmpty }
        if !hasText, content.sound == nil, content.badge == nil { return .notificationInvalidNoContent }
        if let trigger = LocalTrigger(trigger), trigger.next(after: date) == nil { return .notificationInvalidNoDate }
        return nil
    }
}
