package import APNS

/// The first thing a device says: which app it runs, and how it came to be there.
package struct DeviceHello: Sendable, Equatable {
    /// What happened to the app since the last connection.
    package enum Arrival: UInt8, Sendable, CaseIterable {
        /// Nothing: it keeps its token.
        case same = 0
        /// It was installed again: it gets a new token, and the earlier one is nobody's any more.
        case reinstalled = 1
        /// It was restored from a backup, on this device or on another: it gets a new token.
        case restored = 2
    }

    /// The app's bundle id.
    package var topic: Topic
    /// From the last welcome, if there was one.
    package var earlierToken: DeviceToken?
    package var arrival: Arrival
    package var state: DeviceState

    package init(
        topic: Topic,
        earlierToken: DeviceToken? = nil,
        arrival: Arrival = .same,
        state: DeviceState = []
    ) {
        self.topic = topic
        self.earlierToken = earlierToken
        self.arrival = arrival
        self.state = state
    }
}
