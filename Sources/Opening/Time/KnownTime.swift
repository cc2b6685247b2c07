package import Envelope

/// Device's knowledge of the time (docs/protocol.md, section 9).
package struct KnownTime: Equatable, Sendable {
    /// LB: the earliest possible time.
    package var lowerBound: Timestamp
    /// True if LB is the time itself, confirmed since the device started.
    package var isConfirmed: Bool
    /// Nil before the first confirmation.
    package var lastConfirmed: Timestamp?

    package init(lowerBound: Timestamp, isConfirmed: Bool = false, lastConfirmed: Timestamp? = nil) {
        self.lowerBound = lowerBound
        self.isConfirmed = isConfirmed
        self.lastConfirmed = lastConfirmed
    }

    /// No device is older than its software.
    package func since(_ buildDate: Timestamp) -> KnownTime {
        KnownTime(
            lowerBound: max(lowerBound, buildDate),
            isConfirmed: isConfirmed && lowerBound >= buildDate,
            lastConfirmed: lastConfirmed
        )
    }
}
