package import APNS
package import DeviceLink

/// What became of a push, or of a device; devices by our own number, never by token.
package enum DeliveryEvent: Equatable, Sendable {
    case connected(device: Int)
    case disconnected(device: Int)
    /// The device has acknowledged it.
    case delivered(APNSID, device: Int)
    /// The push waits.
    case stored(APNSID, device: Int)
    /// Another push took its place; it will never arrive.
    case replaced(APNSID, by: APNSID, device: Int)
    /// It will never arrive.
    case discarded(APNSID, DiscardReason, device: Int)
}

/// What the simulator is to do with its connections, and whom to tell.
package enum DeliveryEffect: Equatable, Sendable {
    /// The owner's name for one open connection.
    package typealias ConnectionID = Int

    case send(DevicePush, ConnectionID)
    /// The device has connected anew elsewhere.
    case close(ConnectionID)
    case happened(DeliveryEvent)
    /// A delivery failed because the app is not on the device any more: what the feedback list gets, once for each token.
    /// The token is answered 410 from now on.
    case appIsGone(DeviceToken, bundleID: Topic, atMilliseconds: Int64)
}

/// Why a push waits.
///
/// - Source: "Viewing the status of push notifications using Metrics and APNs", the reasons of "stored".
package enum StoredReason: String, Equatable, Sendable, CaseIterable {
    /// The device has no connection.
    case offline = "device-offline"
    /// Pushes of this priority are gathered to save power.
    case power = "device-power"
    /// The app had as many background pushes as it gets in an hour.
    case backgroundBudget = "background-budget"
    /// The device has not acknowledged what it was sent before.
    case unacknowledged = "device-busy"
}

/// Why a push was given up.
///
/// - Source: "Viewing the status of push notifications using Metrics and APNs", the reasons of "discarded"; those of the
///   background from "Pushing background updates to your App".
package enum DiscardReason: String, Equatable, Sendable, CaseIterable {
    /// Its time was over while it waited.
    case expired
    /// It would have to wait, and `apns-expiration` does not allow that.
    case mayNotWait = "may-not-wait"
    /// The device said that the app is gone.
    case appRemoved = "app-removed"
    /// The token was unregistered while the push waited.
    case tokenInactive = "token-inactive"
    case notificationsOff = "notifications-off"
    /// A background push in Low Power Mode.
    case lowPower = "low-power"
    /// A background push while the app still deals with another.
    case appRunning = "app-running"
    /// The topic is another push type's, and a setting drops such pushes.
    case topicOfAnotherType = "topic-of-another-type"
    /// A Live Activity is started by the token that starts one, and updated by its own.
    case otherActivityToken = "other-activity-token"
    /// By a fault that was injected.
    case injected = "injected-fault"
}
