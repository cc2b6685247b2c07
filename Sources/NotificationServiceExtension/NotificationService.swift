import NotificationCore
import RelayClient
import UserNotifications

/// The service extension: opens a sealed push and shows what is in it. Xcode compiles this file as it is; so does Linux.
///
/// An app changes the constants below and nothing else.
final class NotificationService: UNNotificationServiceExtension {
    /// The app group whose container the app shares with this extension.
    static let appGroup = "group.com.example.chat"

    /// The app's relay: receipts go there, and requests for messages that could not be opened.
    static let relay = "https://push.example.com"
    /// The keychain group that the app shares with this extension, behind the team's prefix: prekeys lie there.
    static let keychainGroup = "ABCDE12345.com.example.chat.shared"

    /// What is shown for each outcome. An app would put NSLocalizedString here.
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

    /// Where attachments may come from.
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
        // Senders that ask for a receipt hear that somebody is there. Without these two lines none does.
        settings.keepsReceipts = true
        // An address that is none is a mistake above: reports are then left to the app.
        settings.relay = try? RelayClient(NotificationService.relay)
        return settings
    }()

    /// Without the app group nothing can be opened, and the app's own words are shown.
    private static var pipeline: NotificationPipeline {
        let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup)?.path
        #if canImport(Darwin)
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
