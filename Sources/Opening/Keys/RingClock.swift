package import Envelope

/// App's knowledge of the time (docs/protocol.md, sections 9 and 14).
package struct RingClock: Equatable, Sendable {
    /// Age at which a confirmation becomes too old.
    static let confirmationAgeMax: Duration = .seconds(7 * 86_400)

    package let now: Timestamp
    package let known: KnownTime

    package init(now: Timestamp, known: KnownTime) {
        self.now = now
        self.known = known
    }

    /// Time of a new bundle, never in the senders' future. The device's clock counts before the first confirmation
    /// only.
    var stamp: Timestamp {
        let time = known.lastConfirmed == nil ? max(now, known.lowerBound) : known.lowerBound
        return min(time, Timestamp(milliseconds: Timestamp.millisecondsMax))
    }

    /// Nil until time is confirmed after a start of the device.
    var confirmed: Timestamp? { known.isConfirmed ? known.lowerBound : nil }

    /// Time that has certainly passed.
    var certain: Timestamp { known.lowerBound }

    /// True if the app should confirm time.
    var isUnconfirmedForLong: Bool {
        guard !known.isConfirmed, let last = known.lastConfirmed else { return !known.isConfirmed }
        return max(now, known.lowerBound) >= last.advanced(by: Self.confirmationAgeMax)
    }
}
