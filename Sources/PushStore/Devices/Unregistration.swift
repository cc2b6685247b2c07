package import APNS
package import Envelope

/// What a 410 said, or Apple's old feedback service: the app is gone from a device.
package struct Unregistration: Equatable, Sendable {
    package let key: DeviceKey
    /// To which it was sent. The device may have another one by now.
    package let token: DeviceToken
    /// When APNs confirmed it, as the answer says.
    package let timestamp: Timestamp

    package init(key: DeviceKey, token: DeviceToken, timestamp: Timestamp) {
        self.key = key
        self.token = token
        self.timestamp = timestamp
    }

    /// What follows from it, for a device with this token.
    ///
    /// A launch of the app within `step` of `seen` is not written down, so that up to there it may have been heard of after
    /// the timestamp: then nothing is deleted, and nothing is sent until it is heard of again.
    ///
    /// - Parameters:
    ///   - seen: when the app was last heard of, as written down.
    ///   - step: how long after that it may have been heard of without a word in the store.
    /// - Returns: `.deleted`, `.quarantined` or `.registeredSince`.
    /// - Source: "Handling notification responses from APNs", `timestamp`.
    func result(seen: Timestamp, step: Duration) -> UnregisterResult {
        if timestamp < seen { return .registeredSince }
        return timestamp >= seen.advanced(by: step) ? .deleted : .quarantined
    }
}

/// What became of an unregistration.
package enum UnregisterResult: Equatable, Sendable {
    /// The device; or its token for calls alone, where the 410 was about that one.
    case deleted
    /// It may have been registered since: it stays, as `.unconfirmed`; the token for calls alone, where it was about that one.
    case quarantined
    /// It was registered after the timestamp, and stays.
    case registeredSince
    /// It has another token by now, and stays.
    case otherToken
    case unknown
}
