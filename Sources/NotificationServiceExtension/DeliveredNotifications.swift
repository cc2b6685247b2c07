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
            copy.attachments = content.attachments.compactMap(Self.copy)
            return copy
        }

        /// iOS moves a file that it is given, and these are its own, which another push that came again may be given too. A
        /// content with a file that has gone would be refused whole.
        ///
        /// - Returns: nil for a file that cannot be copied: its message stays without it.
        private static func copy(of attachment: UNNotificationAttachment) -> UNNotificationAttachment? {
            #if canImport(Darwin)
            let isOpen = attachment.url.startAccessingSecurityScopedResource()
            defer { if isOpen { attachment.url.stopAccessingSecurityScopedResource() } }
            #endif
            let url = FileManager.default.temporaryDirectory
                .appendingPathComponent(UUID().uuidString)
                .appendingPathExtension(attachment.url.pathExtension)
            do {
                try FileManager.default.copyItem(at: attachment.url, to: url)
                let hint = [UNNotificationAttachmentOptionsTypeHintKey: attachment.type]
                return try UNNotificationAttachment(identifier: attachment.identifier, url: url, options: hint)
            } catch {
                // Half a copy on a full disk, or nothing.
                try? FileManager.default.removeItem(at: url)
                return nil
            }
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
