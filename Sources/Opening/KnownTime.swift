package import Envelope

/// A device's knowledge of the time (docs/protocol.md, section 9).
package struct KnownTime: Equatable, Sendable {
    /// LB: the earliest that it can be now.
    package var lowerBound: Timestamp
    /// True if LB is the time itself, confirmed since the device started. The device's clock does not count then.
    package var isConfirmed: Bool
    /// The time of the last confirmation; nil before the first.
    package var lastConfirmed: Timestamp?

    package init(lowerBound: Timestamp, isConfirmed: Bool = false, lastConfirmed: Timestamp? = nil) {
        self.lowerBound = lowerBound
        self.isConfirmed = isConfirmed
        self.lastConfirmed = lastConfirmed
    }

    /// Raises the lower bound to the build date: no device is older than its software.
    package func since(_ buildDate: Timestamp) -> KnownTime {
        KnownTime(
            lowerBound: max(lowerBound, buildDate),
            isConfirmed: isConfirmed && lowerBound >= buildDate,
            lastConfirmed: lastConfirmed
        )
    }
}
