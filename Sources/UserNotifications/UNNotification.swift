/// Delivered notification. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotification
open class UNNotification: NSObject, NSCopying {
    /// Time of delivery.
    public let date: Date

    /// Delivered request.
    public let request: UNNotificationRequest

    package init(date: Date, request: UNNotificationRequest) {
        self.date = date
        self.request = request
    }

    /// Returns self: it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }
}
