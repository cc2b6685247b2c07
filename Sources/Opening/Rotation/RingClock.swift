package import Envelope

/// What the app knows of the time (docs/protocol.md, sections 9 and 14).
package struct RingClock: Equatable, Sendable {
    /// How long ago a confirmation is that says little of the time.
    static let confirmationAgeMax: Duration = .seconds(7 * 86_400)

    /// The device's clock.
    package let now: Timestamp
    /// What is known beside it.
    package let known: KnownTime

    package init(now: Timestamp, known: KnownTime) {
        self.now = now
        self.known = known
    }

    /// The time of a new bundle, which a sender must not take for one of the future. A device's clock counts only before
    /// time was ever confirmed.
    var stamp: Timestamp {
        let time = known.lastConfirmed == nil ? max(now, known.lowerBound) : known.lowerBound
        return min(time, Timestamp(milliseconds: Timestamp.millisecondsMax))
    }

    /// The time as it is; nil where it was not confirmed since the device was started.
    var confirmed: Timestamp? { known.isConfirmed ? known.lowerBound : nil }

    /// What has passed for certain.
    var certain: Timestamp { known.lowerBound }

    /// Whether it is so long ago that time was confirmed that the app should see to it.
    var isUnconfirmedForLong: Bool {
        guard !known.isConfirmed, let last = known.lastConfirmed else { return !known.isConfirmed }
        return max(now, known.lowerBound) >= last.advanced(by: Self.confirmationAgeMax)
    }
}
