package import APNS
package import DeviceLink

/// Devices appear by number.
package enum DeliveryEvent: Equatable, Sendable {
    case connected(device: Int)
    case disconnected(device: Int)
    case delivered(APNSID, device: Int)
    case stored(APNSID, device: Int)
    /// Will never arrive.
    case replaced(APNSID, by: APNSID, device: Int)
    case discarded(APNSID, DiscardReason, device: Int)
}

/// For the connections' owner.
package enum DeliveryEffect: Equatable, Sendable {
    package typealias ConnectionID = Int

    case send(DevicePush, ConnectionID)
    /// Connection of a device that connected anew.
    case close(ConnectionID)
    case happened(DeliveryEvent)
    /// Failed delivery, once for each token, which gets 410: adds to the feedback list.
    case appIsGone(DeviceToken, bundleID: Topic, atMilliseconds: Int64)
}

/// - Source: "Viewing the status of push notifications using Metrics and APNs", the reasons of "stored".
package enum StoredReason: String, Equatable, Sendable, CaseIterable {
    case offline = "device-offline"
    /// Grouped with others of its priority to save power.
    case power = "device-power"
    /// The app's hourly budget is spent.
    case backgroundBudget = "background-budget"
    /// Too many earlier pushes are unacknowledged.
    case unacknowledged = "device-busy"
}

/// - Source: "Viewing the status of push notifications using Metrics and APNs", reasons of "discarded"; "Pushing
///   background updates to your App".
package enum DiscardReason: String, Equatable, Sendable, CaseIterable {
    case expired
    /// `apns-expiration` does not allow waiting.
    case mayNotWait = "may-not-wait"
    case appRemoved = "app-removed"
    /// Token unregistered while the push waited.
    case tokenInactive = "token-inactive"
    case notificationsOff = "notifications-off"
    /// Background push in Low Power Mode.
    case lowPower = "low-power"
    /// Background push while the app processes another.
    case appRunning = "app-running"
    /// Dropped by a setting.
    case topicOfAnotherType = "topic-of-another-type"
    /// Start tokens only start a Live Activity; its own only update it.
    case otherActivityToken = "other-activity-token"
    case injected = "injected-fault"
}
