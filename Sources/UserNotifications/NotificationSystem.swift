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
