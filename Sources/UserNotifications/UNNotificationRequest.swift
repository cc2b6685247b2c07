/// A notification as it was asked for: what to show, and what triggered it.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationrequest
open class UNNotificationRequest: NSObject, NSCopying {
    /// The request's unique identifier.
    public let identifier: String

    /// What to show: never mutable, whatever the request was made from.
    public let content: UNNotificationContent

    /// What triggers delivery; `nil` is at once.
    public let trigger: UNNotificationTrigger?

    /// - Parameters:
    ///   - identifier: Unique within the app.
    ///   - content: Copied, so that changing it later does not change the request.
    ///   - trigger: `nil` delivers at once.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = UNNotificationContent(copying: content)
        self.trigger = trigger
    }

    /// A request cannot change, so its copy is itself.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }
}

/// What triggers a notification's delivery; an abstract class.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationtrigger
open class UNNotificationTrigger: NSObject, NSCopying {
    /// Whether the system delivers the notification again each time the condition is met.
    public let repeats: Bool

    package init(repeats: Bool) {
        self.repeats = repeats
    }

    /// A trigger cannot change, so its copy is itself.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }
}

/// The trigger of a notification that came through Apple Push Notification service. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unpushnotificationtrigger
open class UNPushNotificationTrigger: UNNotificationTrigger {
    package init() {
        super.init(repeats: false)
    }
}
