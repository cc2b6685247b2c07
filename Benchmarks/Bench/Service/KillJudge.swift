package import PushStore

/// Judges what a relay that was killed again and again has made of what it acknowledged.
package struct KillJudge: Equatable, Sendable {
    /// Acknowledged, and with no end: not in the store, still under way, or accepted by an APNs that never saw it.
    package private(set) var lostCount = 0
    /// By how they stand in the end.
    package private(set) var acceptedCount = 0
    package private(set) var deadCount = 0
    package private(set) var parkedCount = 0
    package private(set) var expiredCount = 0
    /// Acknowledged or not, what came to APNs again.
    package var repeats = RepeatJudge()

    /// Not acknowledged, and still under way.
    package var leftCount = 0

    package var isGood: Bool { lostCount == 0 && repeats.isGood }

    package init() {}

    /// One that was acknowledged.
    ///
    /// - Parameters:
    ///   - state: how it stands; nil where the store has none.
    ///   - isAtAPNs: whether a push of it was answered with 200.
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
