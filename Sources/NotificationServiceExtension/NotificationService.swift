import NotificationCore
import RelayClient
import UserNotifications

/// Service extension that opens and shows sealed pushes, compiled by Xcode and on Linux as it is. An app changes only
/// the constants.
final class NotificationService: UNNotificationServiceExtension {
    /// App group shared with the app.
    static let appGroup = "group.com.example.chat"

    /// Relay for receipts and re-sends.
    static let relay = "https://push.example.com"
    /// Shared keychain group for prekeys, with team prefix.
    static let keychainGroup = "ABCDE12345.com.example.chat.shared"

    /// Texts; an app would use NSLocalizedString.
    static let display = DisplayPolicy(
        texts: FailureTexts(
            title: "Acme Chat",
            newMessage: "You have a new message",
            expired: "A message arrived too late to be shown",
            updateNeeded: "Update Acme Chat to read this message",
            unlockNeeded: "Unlock to read a new message",
            neutral: "Your conversations are up to date"
        )
    )

    /// Allowed hosts.
    private static let attachments = AttachmentPolicy(
        sources: [AttachmentPolicy.Source(host: "files.example.com", pathPrefix: "/v1/blobs/")]
    )

    private static let settings: ExtensionCore.Settings = {
        var settings = ExtensionCore.Settings()
        settings.attachments = EncryptedAttachmentFetcher(
            policy: NotificationService.attachments,
            temporaryPath: FileManager.default.temporaryDirectory.path
        )
        settings.screen = DeliveredNotifications()
        // Receipts reveal presence; without these two lines there are none.
        settings.keepsReceipts = true
        // Nil if invalid: reports are left to the app.
        settings.relay = try? RelayClient(NotificationService.relay)
        return settings
    }()

    /// Without the app group nothing opens.
    private static var pipeline: NotificationPipeline {
        let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup)?.path
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        if let container {
            return NotificationPipeline(containerPath: container, keychainGroup: keychainGroup, display: display)
        }
        #endif
        return NotificationPipeline(containerPath: container, display: display)
    }

    private let core = ExtensionCore(
        pipeline: NotificationService.pipeline,
        settings: NotificationService.settings
    )

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        core.receive(userInfo: request.content.userInfo, requestID: request.identifier) { content in
            contentHandler(content.notification())
            content.removeReplaced()
            content.logSetupWarning()
        }
    }

    override func serviceExtensionTimeWillExpire() {
        core.timeWillExpire()
    }
}
