public import UserNotifications

extension Device {
    /// A local notification that waits for its trigger.
    public struct PendingNotification: Sendable, Equatable {
        /// Request's.
        public let identifier: String
        /// Content.
        public let content: ShownContent
        /// Device's date of the next delivery.
        public let date: Date
    }

    /// Delivered local notifications, in order, removed ones too.
    public var posted: [ShownNotification] { listed.posted }

    /// Local notifications that wait for the device's clock.
    public var pending: [PendingNotification] {
        listed.pending.map {
            PendingNotification(identifier: $0.local.identifier, content: $0.local.content, date: $0.date)
        }
    }

    /// Titles of the actions below a notification, by its category.
    public func actions(of shown: ShownNotification) -> [String] {
        listed.categories.first { $0.identifier == shown.content.categoryIdentifier }?.actions.map(\.title) ?? []
    }

    /// Messages given to the system (`INInteraction.donate`).
    public var donations: [ShownContent.Communication] { listed.donations.map { ShownContent.Communication($0) } }
}
