//
//  NotificationService.swift
//
//  The style of an extension that shows what cameras saw: several attachments, downloaded to files, and actions that
//  come with the push.
//

import OSLog
import UserNotifications

final class NotificationService: UNNotificationServiceExtension {
    private struct Loading {
        var handler: ((UNNotificationContent) -> Void)?
        var content = UNMutableNotificationContent()
        var attachments: [Int: UNNotificationAttachment] = [:]
        var tasks: [URLSessionDownloadTask] = []
    }

    private let center = UNUserNotificationCenter.current()
    private var category: UNNotificationCategory?
    private let loading = OSAllocatedUnfairLock(uncheckedState: Loading())

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
            return contentHandler(request.content)
        }
        loading.withLockUnchecked { $0 = Loading(handler: contentHandler, content: content) }
        let group = DispatchGroup()
        group.enter()
        addActions(to: content) { group.leave() }
        let files = content.userInfo["attachments"] as? [[String: Any]] ?? []
        for (index, file) in files.enumerated() {
            guard let address = file["url"] as? String, let url = URL(string: address) else { continue }
            group.enter()
            let task = URLSession.shared.downloadTask(with: url) { location, _, error in
                defer { group.leave() }
                guard let location else {
                    os_log("download failed: %{public}@", type: .error, "\(String(describing: error))")
                    return
                }
                self.take(location, as: url, index: index, type: file["content-type"] as? String)
            }
            loading.withLockUnchecked { $0.tasks.append(task) }
            task.resume()
        }
        group.notify(queue: .global()) { self.answer() }
    }

    override func serviceExtensionTimeWillExpire() {
        let tasks = loading.withLockUnchecked { $0.tasks }
        answer()
        for task in tasks { task.cancel() }
    }

    /// The file is gone when the download's handler returns.
    private func take(_ location: URL, as url: URL, index: Int, type: String?) {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
            .appendingPathExtension(url.pathExtension)
        var options: [AnyHashable: Any] = [:]
        if let type { options[UNNotificationAttachmentOptionsTypeHintKey] = type }
        do {
            // Proxies answer with a page instead.
            if try Data(contentsOf: location).starts(with: Data("<html".utf8)) {
                throw URLError(.cannotDecodeContentData)
            }
            try FileManager.default.moveItem(at: location, to: file)
            let attachment = try UNNotificationAttachment(identifier: "\(index)", url: file, options: options)
            loading.withLockUnchecked { $0.attachments[index] = attachment }
        } catch {
            os_log("attachment %d: %{public}@", type: .error, index, "\(error)")
        }
    }

    private func addActions(to content: UNMutableNotificationContent, completion: @escaping () -> Void) {
        guard let actions = content.userInfo["actions"] as? [[String: Any]] else { return completion() }
        let category = UNNotificationCategory(
            identifier: "DYNAMIC-\(UUID().uuidString)",
            actions: actions.compactMap { action in
                guard let identifier = action["action"] as? String, let title = action["title"] as? String else {
                    return nil
                }
                if action["behavior"] as? String == "textInput" {
                    return UNTextInputNotificationAction(
                        identifier: identifier,
                        title: title,
                        options: [],
                        textInputButtonTitle: "Send",
                        textInputPlaceholder: ""
                    )
                }
                return UNNotificationAction(
                    identifier: identifier,
                    title: title,
                    options: [.authenticationRequired],
                    icon: UNNotificationActionIcon(systemImageName: "bell")
                )
            },
            intentIdentifiers: [],
            options: .customDismissAction
        )
        content.categoryIdentifier = category.identifier
        self.category = category
        center.getNotificationCategories { categories in
            self.center.setNotificationCategories(categories.union([self.category].compactMap { $0 }))
            completion()
        }
    }

    private func answer() {
        let last = loading.withLockUnchecked { loading -> Loading in
            defer { loading.handler = nil }
            return loading
        }
        last.content.attachments = last.attachments.sorted { $0.key < $1.key }.map(\.value)
        last.handler?(last.content)
    }
}
