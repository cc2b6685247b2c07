/// Request for a notification: its content and trigger.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationrequest
open class UNNotificationRequest: NSObject, NSCopying {
    /// Request's unique identifier.
    public let identifier: String

    /// Content, always an immutable copy.
    public let content: UNNotificationContent

    /// Trigger of delivery; `nil` is at once.
    public let trigger: UNNotificationTrigger?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - identifier: Unique within the app.
    ///   - content: Copied.
    ///   - trigger: `nil` delivers at once.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = UNNotificationContent(copying: content)
        self.trigger = trigger
    }

    /// Returns self: it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }
}

/// Trigger of a notification's delivery; an abstract class.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationtrigger
open class UNNotificationTrigger: NSObject, NSCopying {
    /// True if the system delivers the notification each time the condition is met.
    public let repeats: Bool

    package init(repeats: Bool) {
        self.repeats = repeats
    }

    /// Returns self: it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }
}

/// Trigger of a notification from Apple Push Notification service. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unpushnotificationtrigger
open class UNPushNotificationTrigger: UNNotificationTrigger {
    package init() {
        super.init(repeats: false)
    }
}
