/// App's delivered notifications, badge and settings. Only what a service extension needs, to remove notifications
/// that its push makes obsolete; permission, scheduling and categories are the app's.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unusernotificationcenter
open class UNUserNotificationCenter: NSObject {
    private let system: (any NotificationSystem)?

    private init(_ system: (any NotificationSystem)?) {
        self.system = system
    }

    /// Center of this app and its extensions.
    open class func current() -> UNUserNotificationCenter {
        UNUserNotificationCenter(CurrentNotificationSystem.current)
    }

    /// Passes the notifications on the screen to a handler, on another thread.
    open func getDeliveredNotifications(
        completionHandler: @escaping @Sendable (_ notifications: [UNNotification]) -> Void
    ) {
        onAnotherThread { completionHandler($0?.deliveredNotifications() ?? []) }
    }

    /// Notifications on the screen.
    open func deliveredNotifications() async -> [UNNotification] {
        system?.deliveredNotifications() ?? []
    }

    /// Removes notifications from the screen; unknown identifiers are ignored.
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        system?.removeDeliveredNotifications(withIdentifiers: identifiers)
    }

    /// Removes all of the app's notifications from the screen.
    open func removeAllDeliveredNotifications() {
        system?.removeAllDeliveredNotifications()
    }

    /// Sets the number on the app's icon; 0 hides it. The handler gets an error or `nil`, on another thread.
    open func setBadgeCount(
        _ newBadgeCount: Int,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        onAnotherThread { system in
            system?.setBadgeCount(newBadgeCount)
            completionHandler?(nil)
        }
    }

    /// Sets the number on the app's icon; 0 hides it.
    ///
    /// - Throws: Nothing here; Apple's may.
    open func setBadgeCount(_ newBadgeCount: Int) async throws {
        system?.setBadgeCount(newBadgeCount)
    }

    /// Passes the person's settings for the app to a handler, on another thread.
    open func getNotificationSettings(
        completionHandler: @escaping @Sendable (_ settings: UNNotificationSettings) -> Void
    ) {
        onAnotherThread { completionHandler(UNNotificationSettings($0?.settings ?? .init())) }
    }

    /// Person's settings for the app.
    open func notificationSettings() async -> UNNotificationSettings {
        UNNotificationSettings(system?.settings ?? .init())
    }

    private func onAnotherThread(_ body: @escaping @Sendable ((any NotificationSystem)?) -> Void) {
        let system = system
        Thread { body(system) }.start()
    }
}
