private import Platform

/// What stands behind `UNUserNotificationCenter`: the device that the app is installed on. Whatever plays the system makes
/// one; without one the center finds no notifications and keeps none.
///
/// It belongs to a simulated device, of which many live in one process; an extension that runs in a process of its own has
/// it for the whole process.
package protocol NotificationSystem: Sendable {
    /// What the person allowed the app.
    var settings: UNNotificationSettings.Values { get }
    /// New objects each time, the newest notification first.
    func deliveredNotifications() -> [UNNotification]
    func removeDeliveredNotifications(withIdentifiers identifiers: [String])
    func removeAllDeliveredNotifications()
    func setBadgeCount(_ count: Int)
}

/// Where the center finds its system.
package enum CurrentNotificationSystem {
    private static let ofProcess = Guarded<(any NotificationSystem)?>(nil)

    package static var current: (any NotificationSystem)? {
        SimulatedDevice.current?.system as? any NotificationSystem ?? ofProcess.withLock { $0 }
    }

    /// All of this process finds this system from now on.
    package static func occupyProcess(with system: any NotificationSystem) {
        ofProcess.withLock { $0 = system }
    }
}
