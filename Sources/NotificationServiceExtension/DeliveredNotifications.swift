import NotificationCore
import UserNotifications

/// Delivered notifications, for repeated pushes. Apps copy this file as it is.
struct DeliveredNotifications: NotificationScreen {
    /// Unchecked: neither this code nor the system, which made it for this call, changes it.
    struct Listed: @unchecked Sendable {
        private let content: UNNotificationContent

        init(_ content: UNNotificationContent) { self.content = content }

        /// Copy that is delivered silently.
        var inSilence: UNNotificationContent {
            guard let copy = content.mutableCopy() as? UNMutableNotificationContent else { return content }
            copy.sound = nil
            copy.badge = nil
            copy.interruptionLevel = .passive
            copy.attachments = content.attachments.compactMap(Self.copy)
            return copy
        }

        /// Copies a file: iOS moves files that it gets, these are its own, and further copies may need them. One
        /// missing file would void the whole content.
        ///
        /// - Returns: nil if copying fails: the message stays without it.
        private static func copy(of attachment: UNNotificationAttachment) -> UNNotificationAttachment? {
            let isOpen = attachment.url.startAccessingSecurityScopedResource()
            defer { if isOpen { attachment.url.stopAccessingSecurityScopedResource() } }
            let url = FileManager.default.temporaryDirectory
                .appendingPathComponent(UUID().uuidString)
                .appendingPathExtension(attachment.url.pathExtension)
            do {
                try FileManager.default.copyItem(at: attachment.url, to: url)
                let hint = [UNNotificationAttachmentOptionsTypeHintKey: attachment.type]
                return try UNNotificationAttachment(identifier: attachment.identifier, url: url, options: hint)
            } catch {
                // Partial copy on a full disk, or none.
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
