/// Notifications that a screen lists, and the number on the app's icon. A pure value.
struct DeliveredList: Sendable {
    /// Listed notifications, newest first.
    private(set) var notifications: [ShownNotification] = []
    private(set) var badge = 0

    /// Replaces a notification with the same identifier, as a collapse id does.
    mutating func add(_ shown: ShownNotification) {
        if shown.presentation.setsBadge, let number = shown.content.badge { setBadge(number) }
        guard shown.presentation.isListed else { return }
        remove([shown.identifier])
        notifications.insert(shown, at: 0)
    }

    mutating func remove(_ identifiers: [String]) {
        let identifiers = Set(identifiers)
        notifications.removeAll { identifiers.contains($0.identifier) }
    }

    mutating func removeAll() {
        notifications = []
    }

    mutating func setBadge(_ number: Int) {
        badge = max(number, 0)
    }
}
