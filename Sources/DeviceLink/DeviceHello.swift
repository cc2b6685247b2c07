package import APNS

/// Device's first frame: its app, and how that came to be there.
package struct DeviceHello: Sendable, Equatable {
    /// Changes of the app since the last connection.
    package enum Arrival: UInt8, Sendable, CaseIterable {
        /// None: it keeps its token.
        case same = 0
        /// Installed again: it gets a new token, and the earlier one is void.
        case reinstalled = 1
        /// Restored from a backup, on this device or another: it gets a new token.
        case restored = 2
    }

    /// App's bundle id.
    package var topic: Topic
    /// From the last welcome.
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
