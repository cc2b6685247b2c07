import ExtensionHarness
import NotificationCore
import UserNotifications

/// An app team's own extension, which shows Web Push messages too and leaves receipts to its app.
final class WebPushService: UNNotificationServiceExtension {
    private let core = ExtensionCore(
        pipeline: NotificationPipeline(
            containerPath: FileManager.default
                .containerURL(forSecurityApplicationGroupIdentifier: "group.com.example.chat")?.path,
            display: DisplayPolicy(
                texts: FailureTexts(
                    title: "Acme Chat",
                    newMessage: "You have a new message",
                    expired: "Too late",
                    updateNeeded: "Update Acme Chat",
                    unlockNeeded: "Unlock to read"
                )
            ),
            opensWebPush: true
        ),
        settings: WebPushService.settings
    )

    private static var settings: ExtensionCore.Settings {
        var settings = ExtensionCore.Settings()
        settings.keepsReceipts = true
        return settings
    }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        core.receive(userInfo: request.content.userInfo, requestID: request.identifier) { shown in
            let content = UNMutableNotificationContent()
            content.title = shown.title
            content.body = shown.body
            contentHandler(content)
        }
    }

    override func serviceExtensionTimeWillExpire() { core.timeWillExpire() }
}

ExtensionHost.run { WebPushService() }
