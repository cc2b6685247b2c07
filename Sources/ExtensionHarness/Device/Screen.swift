import Platform
internal import UserNotifications

/// Answers `UNUserNotificationCenter` for code on the device. Each look at it first shows what is due by the device's
/// clock.
final class Screen: NotificationSystem {
    private struct State {
        var list = DeliveredList()
        var pending = PendingList()
        var posted: [ShownNotification] = []
        var categories: [UNNotificationCategory.Description] = []
        var donations: [Communication] = []
    }

    private let state = Guarded(State())
    private let conditions: Guarded<Device.Conditions>
    private let store: AttachmentStore
    private let clock: SimulatedClock

    init(_ conditions: Guarded<Device.Conditions>, store: AttachmentStore, clock: SimulatedClock) {
        self.conditions = conditions
        self.store = store
        self.clock = clock
    }

    var notifications: [ShownNotification] { settled { $0.list.notifications } }
    var badge: Int { settled { $0.list.badge } }
    var posted: [ShownNotification] { settled { $0.posted } }
    var pending: [PendingList.Entry] { settled { $0.pending.entries } }
    var donations: [Communication] { state.withLock { $0.donations } }
    var categories: [UNNotificationCategory.Description] { state.withLock { $0.categories } }

    func add(_ shown: ShownNotification) {
        settled { $0.list.add(shown) }
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
                trigger: shown.why == .posted ? shown.trigger?.notificationTrigger : UNPushNotificationTrigger()
            )
            return UNNotification(date: shown.date, request: request)
        }
    }

    func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        settled { $0.list.remove(identifiers) }
    }

    func removeAllDeliveredNotifications() {
        settled { $0.list.removeAll() }
    }

    func setBadgeCount(_ count: Int) {
        settled { $0.list.setBadge(count) }
    }

    func add(_ request: UNNotificationRequest, at date: Date) throws(UNError) {
        if let code = LocalNotification.problem(request, settings, at: date) { throw UNError(code) }
        var local = LocalNotification(request, at: date)
        let (taken, _) = store.take(local.content.attachments, appBundle: conditions.withLock { $0.appBundle })
        local.content.attachments = taken
        let added = local
        settled { [self] state in
            if !state.pending.add(added, at: clock.now) { show(added, in: &state) }
        }
    }

    func pendingNotificationRequests() -> [UNNotificationRequest] { pending.map(\.local.request) }

    func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        settled { $0.pending.remove(identifiers) }
    }

    func removeAllPendingNotificationRequests() {
        settled { $0.pending.removeAll() }
    }

    func setCategories(_ categories: [UNNotificationCategory.Description]) {
        state.withLock { $0.categories = categories }
    }

    func donate(_ communication: Communication) {
        state.withLock { $0.donations.append(communication) }
    }

    /// Runs `body` after the deliveries that are due.
    private func settled<Result>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            for local in state.pending.takeDue(clock.now) { show(local, in: &state) }
            return body(&state)
        }
    }

    private func show(_ local: LocalNotification, in state: inout State) {
        let shown = ShownNotification(local, on: conditions.withLock { $0 })
        state.posted.append(shown)
        state.list.add(shown)
    }
}
