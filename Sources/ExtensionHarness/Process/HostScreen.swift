import Platform
internal import UserNotifications

/// Answers `UNUserNotificationCenter` in the extension's process, and reports changes to the device.
final class HostScreen: NotificationSystem {
    private let channel: HostChannel
    private let state = Guarded(HostScreenState())

    init(_ channel: HostChannel) {
        self.channel = channel
    }

    func update(_ newest: HostScreenState) { state.withLock { $0 = newest } }

    var settings: UNNotificationSettings.Values { state.withLock { $0.settings.values } }

    func deliveredNotifications() -> [UNNotification] { state.withLock { $0.notifications }.map(\.object) }

    func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        let removed = Set(identifiers)
        state.withLock { $0.notifications.removeAll { removed.contains($0.identifier) } }
        channel.send(.screen(.removed(identifiers)))
    }

    func removeAllDeliveredNotifications() {
        state.withLock { $0.notifications = [] }
        channel.send(.screen(.removedAll))
    }

    func setBadgeCount(_ count: Int) { channel.send(.screen(.badge(count))) }

    func add(_ request: UNNotificationRequest, at date: Date) throws(UNError) {
        if let code = LocalNotification.problem(request, settings, at: date) { throw UNError(code) }
        let local = LocalNotification(request, at: date)
        state.withLock { state in
            state.pending.removeAll { $0.identifier == local.identifier }
            if local.trigger == nil {
                state.notifications.removeAll { $0.identifier == local.identifier }
                state.notifications.insert(HostScreenState.Notification(local), at: 0)
            } else {
                state.pending.append(local)
            }
        }
        channel.send(.screen(.added(local)))
    }

    func pendingNotificationRequests() -> [UNNotificationRequest] { state.withLock { $0.pending }.map(\.request) }

    func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        state.withLock { $0.pending.removeAll { identifiers.contains($0.identifier) } }
        channel.send(.screen(.removedPending(identifiers)))
    }

    func removeAllPendingNotificationRequests() {
        state.withLock { $0.pending = [] }
        channel.send(.screen(.removedAllPending))
    }

    var categories: [UNNotificationCategory.Description] { state.withLock { $0.categories } }

    func setCategories(_ categories: [UNNotificationCategory.Description]) {
        state.withLock { $0.categories = categories }
        channel.send(.screen(.categories(categories)))
    }

    func donate(_ communication: Communication) { channel.send(.screen(.donated(communication))) }
}
