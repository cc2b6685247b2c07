/// A notification that was delivered. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotification
open class UNNotification: NSObject, NSCopying {
    /// When it was delivered.
    public let date: Date

    /// What was delivered.
    public let request: UNNotificationRequest

    package init(date: Date, request: UNNotificationRequest) {
        self.date = date
        self.request = request
    }

    /// A delivered notification cannot change, so its copy is itself.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }
}
