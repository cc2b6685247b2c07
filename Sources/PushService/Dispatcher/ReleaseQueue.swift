import APNS
import PushStore

/// What was parked and may be queued again, in steps so that nobody waits long for it.
struct ReleaseQueue {
    struct Step: Equatable {
        let tenant: TenantID
        let topic: Topic
        /// One, to see whether it goes; otherwise all.
        let isProbe: Bool
    }

    static let stepCountMax = 500
    private var steps: [Step] = []
    private var isUnderWay = false
    /// After a failure.
    private var pausedUntil = Int64.min

    mutating func add(_ more: [Step]) {
        for step in more where !steps.contains(step) { steps.append(step) }
    }

    mutating func take(now: Int64) -> Step? {
        guard !isUnderWay, !steps.isEmpty, now >= pausedUntil else { return nil }
        isUnderWay = true
        return steps.removeFirst()
    }

    /// - Parameters:
    ///   - step: what was done.
    ///   - count: how many it released; nil: the store could not.
    ///   - now: nanoseconds of the monotonic clock.
    mutating func didEnd(_ step: Step, count: Int?, now: Int64) {
        isUnderWay = false
        guard let count else {
            pausedUntil = now &+ UpkeepTimes.second
            return steps.append(step)
        }
        if step.isProbe {
            // One push is enough to see.
            if count > 0 { steps.removeAll(where: \.isProbe) }
        } else if count >= Self.stepCountMax {
            steps.append(step)
        }
    }
}
