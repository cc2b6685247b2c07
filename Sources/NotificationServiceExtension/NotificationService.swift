import NotificationCore
import UserNotifications

/// The service extension: opens a sealed push and shows what is in it. Xcode compiles this file as it is; so does Linux.
///
/// An app changes the constants below and nothing else.
final class NotificationService: UNNotificationServiceExtension {
    /// The app group whose container the app shares with this extension.
    static let appGroup = "group.com.example.chat"

    /// What is shown for each outcome. An app would put NSLocalizedString here.
    private static let display = DisplayPolicy(
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
        return settings
    }()

    private let core = ExtensionCore(
        pipeline: NotificationPipeline(
            containerPath: FileManager.default
                .containerURL(forSecurityApplicationGroupIdentifier: NotificationService.appGroup)?.path,
            display: NotificationService.display
        ),
        settings: NotificationService.settings
    )

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        core.receive(userInfo: request.content.userInfo, requestID: request.identifier) { content in
            contentHandler(content.notification())
            content.removeReplaced()
        }
    }

    override func serviceExtensionTimeWillExpire() {
        core.timeWillExpire()
    }
}
