import NotificationCore
import UserNotifications

/// The service extension: opens a sealed push and shows what is in it. Xcode compiles this file as it is; so does Linux.
///
/// An app changes the constants below and nothing else.
final class NotificationService: UNNotificationServiceExtension {
    /// The app group whose container the app shares with this extension.
    static let appGroup = "group.com.example.chat"

    /// Shown for pushes that cannot be opened. An app would put NSLocalizedString here.
    private static let texts = FailureTexts(
        title: "Acme Chat",
        newMessage: "You have a new message",
        expired: "A message arrived too late to be shown",
        updateNeeded: "Update Acme Chat to read this message",
        unlockNeeded: "Unlock to read a new message"
    )

    private let pending = PendingDeliveries<UNNotificationContent>()

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: Self.appGroup)
        let pipeline = NotificationPipeline(containerPath: container?.path, texts: Self.texts)
        let delivery = pending.begin(best: Self.content(pipeline.neutralContent), handler: contentHandler)
        let opened = pipeline.content(userInfo: request.content.userInfo)
        // Only what iOS really got is remembered as shown.
        if pending.finish(delivery, with: Self.content(opened)) { pipeline.didShow(opened) }
    }

    override func serviceExtensionTimeWillExpire() {
        pending.expire()
    }

    /// Starts from a blank content: what the relay or Apple put beside the sealed field must not survive.
    private static func content(_ opened: NotificationContent) -> UNNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = opened.title
        content.subtitle = opened.subtitle
        content.body = opened.body
        content.threadIdentifier = opened.threadID
        if let trace = opened.trace { content.userInfo = ["trace": trace] }
        return content
    }
}
