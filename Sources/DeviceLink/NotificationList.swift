package import APNS

/// Notifications on a device's screen. A push replaces an earlier one with its collapse id.
///
/// - Source: "Sending notification requests to APNs", `apns-collapse-id`: "An identifier you use to merge multiple
///   notifications into a single notification for the user"; on the device it is `UNNotificationRequest.identifier`.
package struct NotificationList: Sendable, Equatable {
    /// Our choice: Apple names no number. The oldest is removed.
    package static let countMax = 100

    /// Oldest first.
    package private(set) var pushes: [DevicePush] = []

    package init() {}

    /// Shows an alert; ignores other pushes.
    ///
    /// - Returns: id of the replaced push.
    @discardableResult
    package mutating func show(_ push: DevicePush) -> APNSID? {
        guard push.pushType == .alert else { return nil }
        var replaced: APNSID?
        let earlier = pushes.firstIndex { shown in
            guard let collapseID = push.collapseID else { return shown.id == push.id }
            return shown.collapseID == collapseID
        }
        if let earlier { replaced = pushes.remove(at: earlier).id }
        if pushes.count == Self.countMax { pushes.removeFirst() }
        pushes.append(push)
        return replaced
    }
}
