//
//  NotificationService.swift
//
//  The style of an extension whose push carries the message, or a place to fetch it from. A control message shows
//  nothing: an empty answer sets the badge.
//

import UserNotifications
import os

final class NotificationService: UNNotificationServiceExtension {
    private static let group = "group.org.example.session-style"

    private var lock = os_unfair_lock_s()
    private var contentHandler: ((UNNotificationContent) -> Void)?
    private var request: UNNotificationRequest?

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        os_unfair_lock_lock(&lock)
        (self.contentHandler, self.request) = (contentHandler, request)
        os_unfair_lock_unlock(&lock)
        // The database opens on this thread.
        CFRunLoopRunInMode(.defaultMode, 0.001, false)
        if let text = request.content.userInfo["spns_payload"] as? String, let data = Data(base64Encoded: text) {
            return handle(data)
        }
        guard let address = request.content.userInfo["swarm"] as? String, let url = URL(string: address) else {
            return succeed(nil)
        }
        URLSession.shared.dataTask(with: url) { data, _, _ in self.handle(data ?? Data()) }.resume()
    }

    override func serviceExtensionTimeWillExpire() {
        let content = UNMutableNotificationContent()
        content.title = "Session style"
        content.body = "You've got a new message"
        succeed(content)
    }

    private func handle(_ data: Data) {
        guard let message = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] else {
            return succeed(nil)
        }
        if message["type"] as? String == "control" { return succeedSilently() }
        let content = UNMutableNotificationContent()
        content.title = message["from"] as? String ?? "Unknown"
        content.body = message["text"] as? String ?? ""
        content.sound = .default
        content.threadIdentifier = message["thread"] as? String ?? ""
        content.badge = NSNumber(value: countUnread(adding: request?.identifier))
        // A later push about the same message may correct it.
        content.userInfo = ["remote": true]
        succeed(content)
    }

    private func succeedSilently() {
        let content = UNMutableNotificationContent()
        content.badge = NSNumber(value: countUnread(adding: nil))
        succeed(content)
    }

    /// Number of unread messages, in the app group; a message counts once.
    private func countUnread(adding identifier: String?) -> Int {
        guard let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: Self.group) else {
            return identifier == nil ? 0 : 1
        }
        if let identifier { try? Data().write(to: folder.appendingPathComponent("unread-\(identifier)")) }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix("unread-") }.count
    }

    private func succeed(_ content: UNNotificationContent?) {
        os_unfair_lock_lock(&lock)
        let (handler, request) = (contentHandler, self.request)
        contentHandler = nil
        os_unfair_lock_unlock(&lock)
        handler?(content ?? request?.content ?? UNNotificationContent())
    }
}
