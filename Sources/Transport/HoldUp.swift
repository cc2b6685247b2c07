/// Notices that a loop did not run when it could have, on a machine that is starved or was asleep. What was not heard
/// meanwhile says nothing of a peer, who may have been as badly off. A value.
struct HoldUp {
    /// Shorter ones do not matter beside deadlines of seconds.
    private static let shortest = Duration.seconds(1)
    /// After a hold-up a peer gets as long as it was, and no longer than this.
    private static let patienceMax = Duration.seconds(5)
    /// Where one follows the other, there has to be a judgement so often.
    private static let patienceMaxInAll = Duration.seconds(60)

    /// Nothing is held against a peer before this.
    private(set) var judgesFrom = MonotonicTime(nanoseconds: .min)
    private var isPatientSince = MonotonicTime(nanoseconds: .min)

    /// - Parameters:
    ///   - turnBegan: when the turn before began.
    ///   - waitBegan: when it was over, and the loop began to wait.
    ///   - plannedMilliseconds: how long it was to wait at most; negative: for ever.
    ///   - now: when it had waited.
    mutating func didWait(
        turnBegan: MonotonicTime,
        waitBegan: MonotonicTime,
        plannedMilliseconds: Int32,
        now: MonotonicTime
    ) {
        var time = waitBegan - turnBegan
        if plannedMilliseconds >= 0 {
            time += max(.zero, now - waitBegan - .milliseconds(Int64(plannedMilliseconds)))
        }
        guard time >= Self.shortest else { return }
        // The turn before has judged.
        if turnBegan >= judgesFrom { isPatientSince = now }
        judgesFrom = min(now + min(time, Self.patienceMax), isPatientSince + Self.patienceMaxInAll)
    }
}
