package import APNS

/// The notifications that lie on a device's screen. A push with the collapse id of one that lies there takes its place.
///
/// - Source: "Sending notification requests to APNs", `apns-collapse-id`: "An identifier you use to merge multiple
///   notifications into a single notification for the user"; on the device it is `UNNotificationRequest.identifier`.
package struct NotificationList: Sendable, Equatable {
    /// Ours: Apple names no number. The oldest leaves.
    package static let countMax = 100

    /// Oldest first.
    package private(set) var pushes: [DevicePush] = []

    package init() {}

    /// Puts an alert on the screen.
    ///
    /// - Parameter push: whatever came; only an alert is shown.
    /// - Returns: the id of the push whose place it took.
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
