package import PushStore

/// Judges the fate of acknowledged notifications in a relay that was killed repeatedly.
package struct KillVerifier: Equatable, Sendable {
    /// Acknowledged and lost: not in the store, still in progress, or marked as accepted without having reached APNs.
    package private(set) var lostCount = 0
    /// Acknowledged notifications by final state.
    package private(set) var acceptedCount = 0
    package private(set) var deadCount = 0
    package private(set) var parkedCount = 0
    package private(set) var expiredCount = 0
    /// Pushes that came to APNs again, acknowledged or not.
    package var repeats = RepeatVerifier()

    /// Not acknowledged, and still in progress.
    package var leftCount = 0

    package var isGood: Bool { lostCount == 0 && repeats.isGood }

    package init() {}

    /// Adds an acknowledged notification.
    ///
    /// - Parameters:
    ///   - state: Its state; nil if the store has none.
    ///   - isAtAPNs: True if a push of it was answered with 200.
    package mutating func add(_ state: EntryState?, isAtAPNs: Bool) {
        switch state {
        case .accepted where isAtAPNs, .delivered where isAtAPNs: acceptedCount += 1
        case .dead: deadCount += 1
        case .parked: parkedCount += 1
        case .expired: expiredCount += 1
        case .accepted, .delivered, .queued, .sending, nil: lostCount += 1
        }
    }
}
