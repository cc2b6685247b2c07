import NotificationCore
import UserNotifications

/// Notifications that the extension posts itself. Apps copy this file as it is.
struct PostedNotifications: LocalNotifications {
    func add(_ content: NotificationContent, id: String, after delay: Duration?) {
        let trigger = delay.map {
            UNTimeIntervalNotificationTrigger(timeInterval: max($0 / .seconds(1), 1), repeats: false)
        }
        defer { content.removeReplaced() }
        guard !content.isSuppressed else { return }
        UNUserNotificationCenter.current()
            .add(UNNotificationRequest(identifier: id, content: content.notification(), trigger: trigger))
    }

    func removePending(id: String) {
        UNUserNotificationCenter.current().removePendingNotificationRequests(withIdentifiers: [id])
    }
}
