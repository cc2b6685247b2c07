/// The app's notifications that were delivered, its badge and its settings.
///
/// Only what a service extension has a use for: it may take notifications off the screen that its push makes obsolete.
/// Asking for permission, scheduling and categories are the app's.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unusernotificationcenter
open class UNUserNotificationCenter: NSObject {
    private let system: (any NotificationSystem)?

    private init(_ system: (any NotificationSystem)?) {
        self.system = system
    }

    /// The center of this app, to which its extensions belong.
    open class func current() -> UNUserNotificationCenter {
        UNUserNotificationCenter(CurrentNotificationSystem.current)
    }

    /// Passes the notifications that the screen lists to a handler, on another thread.
    open func getDeliveredNotifications(
        completionHandler: @escaping @Sendable (_ notifications: [UNNotification]) -> Void
    ) {
        onAnotherThread { completionHandler($0?.deliveredNotifications() ?? []) }
    }

    /// The notifications that the screen lists.
    open func deliveredNotifications() async -> [UNNotification] {
        system?.deliveredNotifications() ?? []
    }

    /// Takes notifications off the screen. Identifiers of none are ignored.
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        system?.removeDeliveredNotifications(withIdentifiers: identifiers)
    }

    /// Takes all of the app's notifications off the screen.
    open func removeAllDeliveredNotifications() {
        system?.removeAllDeliveredNotifications()
    }

    /// Sets the number on the app's icon; 0 hides it. Passes the error, if there was one, to a handler on another thread.
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
    /// - Parameter newBadgeCount: The number.
    /// - Throws: Nothing here; Apple's may.
    open func setBadgeCount(_ newBadgeCount: Int) async throws {
        system?.setBadgeCount(newBadgeCount)
    }

    /// Passes what the person allowed the app to a handler, on another thread.
    open func getNotificationSettings(
        completionHandler: @escaping @Sendable (_ settings: UNNotificationSettings) -> Void
    ) {
        onAnotherThread { completionHandler(UNNotificationSettings($0?.settings ?? .init())) }
    }

    /// What the person allowed the app.
    open func notificationSettings() async -> UNNotificationSettings {
        UNNotificationSettings(system?.settings ?? .init())
    }

    private func onAnotherThread(_ body: @escaping @Sendable ((any NotificationSystem)?) -> Void) {
        let system = system
        Thread { body(system) }.start()
    }
}
