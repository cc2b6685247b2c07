//
//  NotificationService.swift
//
//  The style of an extension that opens a Web Push and shows who it is from, with the avatar.
//

import Foundation
import UserNotifications

final class NotificationService: UNNotificationServiceExtension {
    private struct Notification: Decodable {
        let notificationID: Int
        let title: String
        let body: String
        let icon: String?

        enum CodingKeys: String, CodingKey {
            case notificationID = "notification_id"
            case title, body, icon
        }
    }

    var contentHandler: ((UNNotificationContent) -> Void)?
    var bestAttemptContent: UNMutableNotificationContent?
    private var download: URLSessionDataTask?
    private let lock = NSLock()

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        self.contentHandler = contentHandler
        bestAttemptContent = request.content.mutableCopy() as? UNMutableNotificationContent
        guard let content = bestAttemptContent, let text = content.userInfo["p"] as? String,
            let data = Data(base64Encoded: text),
            let notification = try? JSONDecoder().decode(Notification.self, from: data)
        else { return contentHandler(request.content) }
        content.title = notification.title
        content.subtitle = ""
        content.body = notification.body
        content.userInfo = ["id": notification.notificationID]
        guard let icon = notification.icon.flatMap(URL.init(string:)) else { return contentHandler(content) }
        download = URLSession.shared.dataTask(with: icon) { [weak self] data, _, _ in
            guard let self, let content = bestAttemptContent else { return }
            if let data, let avatar = Self.attachment(data, named: icon.lastPathComponent) {
                content.attachments = [avatar]
            }
            answer(content)
        }
        download?.resume()
    }

    override func serviceExtensionTimeWillExpire() {
        guard let content = bestAttemptContent else { return }
        answer(content)
        download?.cancel()
    }

    /// From two threads, perhaps at once.
    private func answer(_ content: UNNotificationContent) {
        lock.lock()
        let handler = contentHandler
        contentHandler = nil
        lock.unlock()
        handler?(content)
    }

    private static func attachment(_ data: Data, named name: String) -> UNNotificationAttachment? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + "-" + name)
        let square = CGRect(x: 0, y: 0, width: 1, height: 1)
        do {
            try data.write(to: file)
            return try UNNotificationAttachment(
                identifier: "avatar",
                url: file,
                options: [UNNotificationAttachmentOptionsThumbnailClippingRectKey: square.dictionaryRepresentation]
            )
        } catch {
            return nil
        }
    }
}
