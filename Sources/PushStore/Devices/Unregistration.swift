package import APNS
package import Envelope

/// A report that the app is gone from a device: a 410, or Apple's old feedback service.
package struct Unregistration: Equatable, Sendable {
    package let key: DeviceKey
    /// The token that was used; the device may have a new one.
    package let token: DeviceToken
    /// APNs's time of confirmation, from the answer.
    package let timestamp: Timestamp

    package init(key: DeviceKey, token: DeviceToken, timestamp: Timestamp) {
        self.key = key
        self.token = token
        self.timestamp = timestamp
    }

    /// Decides for a device with this token.
    ///
    /// A launch within `step` after `seen` is not recorded. So until then the app may be newer than the timestamp: the
    /// device is quarantined until it registers again, not deleted.
    ///
    /// - Returns: `.deleted`, `.quarantined` or `.registeredSince`.
    /// - Source: "Handling notification responses from APNs", `timestamp`.
    func result(seen: Timestamp, step: Duration) -> UnregisterResult {
        if timestamp < seen { return .registeredSince }
        return timestamp >= seen.advanced(by: step) ? .deleted : .quarantined
    }
}

package enum UnregisterResult: Equatable, Sendable {
    /// The device, or only its token for calls if the 410 was about that.
    case deleted
    /// Perhaps registered since: the device, or its token for calls, is kept as `.unconfirmed`.
    case quarantined
    /// Registered after the timestamp, and kept.
    case registeredSince
    /// The device has another token, and is kept.
    case otherToken
    case unknown
}
