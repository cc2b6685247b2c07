package import APNS
package import Envelope

/// Report of a gone app: a 410, or Apple's old feedback service.
package struct Unregistration: Equatable, Sendable {
    package let key: DeviceKey
    /// Token used; the device may have a new one.
    package let token: DeviceToken
    /// APNs's time of confirmation.
    package let timestamp: Timestamp
    /// nil for the app's own, or PushKit's.
    package let purpose: TokenPurpose?

    package init(key: DeviceKey, token: DeviceToken, timestamp: Timestamp, purpose: TokenPurpose? = nil) {
        self.key = key
        self.token = token
        self.timestamp = timestamp
        self.purpose = purpose
    }

    /// Decides about a device with this token.
    ///
    /// Launches within `step` after `seen` are not recorded: for a timestamp in that time the device is quarantined
    /// until its next launch, not deleted.
    ///
    /// - Source: "Handling notification responses from APNs", `timestamp`.
    func result(seen: Timestamp, step: Duration) -> UnregisterResult {
        if timestamp < seen { return .registeredSince }
        return timestamp >= seen.advanced(by: step) ? .deleted : .quarantined
    }
}

package enum UnregisterResult: Equatable, Sendable {
    /// Device, or the other token that the 410 was about.
    case deleted
    /// Perhaps registered since: kept as `.unconfirmed`, or its token for calls is.
    case quarantined
    /// Registered after the timestamp, and kept.
    case registeredSince
    /// Device with another token, kept.
    case otherToken
    case unknown
}
