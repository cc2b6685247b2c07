import ExtensionHarness
import Foundation
import NotificationCore
import Opening
import UserNotifications

@testable import NotificationServiceExtension

/// Attachments of each message: none, 64 MB in memory, or a wait without end before anything is shown.
enum Attachments: String, AttachmentFetcher {
    case prompt, huge, stalled

    func hasAttachments(_ message: OpenedMessage) -> Bool {
        while self == .stalled { sleep(60) }
        return self == .huge
    }

    func fetch(
        for message: OpenedMessage,
        within budget: Duration,
        deliver: @escaping @Sendable (FetchedAttachments) -> Bool
    ) async {
        let bytes = [UInt8](repeating: 1, count: 64 << 20)
        // Held until the process is ended; else until it is cancelled.
        try? await Task.sleep(for: .seconds(60))
        precondition(bytes.count == 64 << 20)
    }
}

/// Extension with a queued placeholder.
final class PlaceholderExtension: UNNotificationServiceExtension {
    private let core: ExtensionCore

    init(_ attachments: Attachments) {
        let container = FileManager.default
            .containerURL(forSecurityApplicationGroupIdentifier: NotificationService.appGroup)
        var settings = ExtensionCore.Settings(attachments: attachments)
        settings.screen = DeliveredNotifications()
        settings.placeholder = PostedNotifications()
        core = ExtensionCore(
            pipeline: NotificationPipeline(containerPath: container?.path, display: NotificationService.display),
            settings: settings
        )
    }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        core.receive(userInfo: request.content.userInfo, requestID: request.identifier) {
            contentHandler($0.notification())
        }
    }

    override func serviceExtensionTimeWillExpire() { core.timeWillExpire() }
}

let attachments = Attachments(rawValue: CommandLine.arguments.dropFirst().first ?? "")
precondition(attachments != nil, "prompt, huge or stalled")
ExtensionHost.run { PlaceholderExtension(attachments ?? .prompt) }
