import NotificationCore
import UserNotifications

/// What iOS lists, for a push that comes a second time. An app copies this file as it is.
struct DeliveredNotifications: NotificationScreen {
    /// Unchecked: it is never changed, here or by the system, which made it for this call.
    struct Listed: @unchecked Sendable {
        private let content: UNNotificationContent

        init(_ content: UNNotificationContent) { self.content = content }

        /// The same, as it comes to the screen without anybody's being called.
        var inSilence: UNNotificationContent {
            guard let copy = content.mutableCopy() as? UNMutableNotificationContent else { return content }
            copy.sound = nil
            copy.badge = nil
            copy.interruptionLevel = .passive
            return copy
        }
    }

    func notification(requestID: String) async -> ListedNotification? {
        let delivered = await UNUserNotificationCenter.current().deliveredNotifications()
        guard let content = delivered.first(where: { $0.request.identifier == requestID })?.request.content else {
            return nil
        }
        return ListedNotification(userInfo: content.userInfo, content: Listed(content))
    }
}
