package import Envelope

/// What a device knows of the time (docs/protocol.md, section 9).
package struct KnownTime: Equatable, Sendable {
    /// LB: what the time is at least.
    package var lowerBound: Timestamp
    /// Whether LB is the time itself: it was confirmed since the device was started. The device's clock does not count then.
    package var isConfirmed: Bool
    /// What the last confirmation said; nil before the first.
    package var lastConfirmed: Timestamp?

    package init(lowerBound: Timestamp, isConfirmed: Bool = false, lastConfirmed: Timestamp? = nil) {
        self.lowerBound = lowerBound
        self.isConfirmed = isConfirmed
        self.lastConfirmed = lastConfirmed
    }

    /// No device is older than the software on it.
    package func since(_ buildDate: Timestamp) -> KnownTime {
        KnownTime(
            lowerBound: max(lowerBound, buildDate),
            isConfirmed: isConfirmed && lowerBound >= buildDate,
            lastConfirmed: lastConfirmed
        )
    }
}
