/// App's notifications, categories, badge and settings; permission is the app's.
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

    /// Adds a local notification, which replaces a pending one with its identifier.
    open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        // At once: the next call sees it.
        var problem: UNError?
        do throws(UNError) { try addNow(request) } catch { problem = error }
        onAnotherThread { [problem] _ in completionHandler?(problem) }
    }

    /// Adds a local notification.
    ///
    /// - Throws: `UNError`.
    open func add(_ request: UNNotificationRequest) async throws {
        try addNow(request)
    }

    private func addNow(_ request: UNNotificationRequest) throws(UNError) {
        guard let system else { throw UNError(.notificationsNotAllowed) }
        try system.add(request, at: LocalTrigger.now)
    }

    /// Passes on the requests that are not yet due.
    open func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable (_ requests: [UNNotificationRequest]) -> Void
    ) {
        onAnotherThread { completionHandler($0?.pendingNotificationRequests() ?? []) }
    }

    /// Requests not yet due.
    open func pendingNotificationRequests() async -> [UNNotificationRequest] {
        system?.pendingNotificationRequests() ?? []
    }

    /// Removes requests.
    open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        system?.removePendingNotificationRequests(withIdentifiers: identifiers)
    }

    /// Removes all requests.
    open func removeAllPendingNotificationRequests() {
        system?.removeAllPendingNotificationRequests()
    }

    /// Replaces the app's categories.
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        system?.setCategories(categories.map(\.category))
    }

    /// Passes on the app's categories.
    open func getNotificationCategories(
        completionHandler: @escaping @Sendable (_ categories: Set<UNNotificationCategory>) -> Void
    ) {
        onAnotherThread { completionHandler(Set(($0?.categories ?? []).map { UNNotificationCategory($0) })) }
    }

    /// App's categories.
    open func notificationCategories() async -> Set<UNNotificationCategory> {
        Set((system?.categories ?? []).map { UNNotificationCategory($0) })
    }

    private func onAnotherThread(_ body: @escaping @Sendable ((any NotificationSystem)?) -> Void) {
        let system = system
        Thread { body(system) }.start()
    }
}
