import ExtensionHarness
import NotificationCore
import RelayClient
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
        settings.relay = Records()
        return settings
    }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        core.receive(userInfo: request.content.userInfo, requestID: request.identifier) { shown in
            let content = UNMutableNotificationContent()
            content.title = shown.title
            content.subtitle = shown.subtitle
            content.body = shown.body
            contentHandler(content)
        }
    }

    override func serviceExtensionTimeWillExpire() { core.timeWillExpire() }
}

/// Relay for records that were too long for a push.
private struct Records: Relay {
    private struct LeftToApp: Error {}

    func send(_ receipts: [DeliveryReceipt]) async throws { throw LeftToApp() }
    func requestResends(_ requests: [ResendRequest]) async throws { throw LeftToApp() }
    func record(_ name: String) async throws -> [UInt8]? {
        try await RelayClient("https://push.example.com").record(name)
    }
}

ExtensionHost.run { WebPushService() }
