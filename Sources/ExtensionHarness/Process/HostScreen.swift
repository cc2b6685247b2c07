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
}
