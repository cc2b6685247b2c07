//
//  NotificationService.swift
//
//  The habits of extensions that ship: work on another queue, a lock around the handler, attachments, forced casts.
//

import UserNotifications
#if canImport(Intents)
import Intents
#endif

final class NotificationService: UNNotificationServiceExtension {
    private enum AttachmentError: Error {
        case noData
    }

    private let lock = NSLock()
    private let queue: DispatchQueue
    private var contentHandler: ((UNNotificationContent) -> Void)?
    private var bestAttemptContent: UNMutableNotificationContent?

    override init() {
        queue = DispatchQueue(label: "com.example.NotificationService", qos: .userInitiated)
        super.init()
    }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
            return contentHandler(request.content)
        }
        self.contentHandler = contentHandler
        bestAttemptContent = content

        guard let aps = request.content.userInfo["aps"] as? [String: Any], aps["alert"] is [String: Any] else {
            return finish()
        }

        // A message that is still being fetched: only the expiry answers.
        if request.content.userInfo["pending"] as? Bool == true {
            content.body = "You have a new message"
            return
        }

        queue.async { [weak self] in
            autoreleasepool {
                self?.decorate()
            }
            self?.finish()
        }
    }

    override func serviceExtensionTimeWillExpire() {
        bestAttemptContent?.subtitle = "…"
        finish()
    }

    private func decorate() {
        guard let content = bestAttemptContent else { return }
        let sender = content.userInfo["sender"] as? [String: Any]
        content.title = sender?["name"] as? String ?? "Somebody"
        content.sound = .default
        content.badge = NSNumber(value: (content.badge?.intValue ?? 0) + 1)
        content.categoryIdentifier = "MESSAGE"
        content.threadIdentifier = content.userInfo["chat"] as? String ?? content.threadIdentifier
        if #available(iOS 15.0, macOS 12.0, *) {
            content.interruptionLevel = .timeSensitive
            content.relevanceScore = 0.75
        }
        content.userInfo["decorated"] = true

        do {
            content.attachments = [try thumbnail(from: content.userInfo)]
        } catch UNError.attachmentUnrecognizedType {
            content.subtitle = "Unsupported picture"
        } catch {
            NSLog("no thumbnail: %d", (error as? UNError)?.errorCode ?? 0)
        }
    }

    private func thumbnail(from userInfo: [AnyHashable: Any]) throws -> UNNotificationAttachment {
        guard let text = userInfo["thumbnail"] as? String, let data = Data(base64Encoded: text) else {
            throw AttachmentError.noData
        }
        let name = userInfo["thumbnail-name"] as? String ?? "thumbnail.png"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try data.write(to: file)
        return try UNNotificationAttachment(
            identifier: "thumbnail",
            url: file,
            options: [UNNotificationAttachmentOptionsThumbnailHiddenKey: false]
        )
    }

    private func finish() {
        lock.lock()
        let handler = contentHandler
        contentHandler = nil
        lock.unlock()
        guard let handler = handler, let content = bestAttemptContent else { return }
        handler(content)
    }
}
