/// Detects that a loop could not run, on a starved or sleeping machine: silence meanwhile is not the peer's fault. A
/// value.
struct LoopStall {
    /// Shorter ones do not matter for deadlines of seconds.
    private static let shortest = Duration.seconds(1)
    /// A peer gets as long as the hold-up took, up to this.
    private static let patienceMax = Duration.seconds(5)
    /// Longest grace over successive hold-ups.
    private static let patienceMaxInAll = Duration.seconds(60)

    /// Deadlines of peers do not expire before this.
    private(set) var judgesFrom = MonotonicTime(nanoseconds: .min)
    private var isPatientSince = MonotonicTime(nanoseconds: .min)

    /// - Parameters:
    ///   - turnBegan: Start of the last turn, which ended at `waitBegan`.
    ///   - plannedMilliseconds: Longest planned wait; negative: for ever.
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
        // The last turn has judged.
        if turnBegan >= judgesFrom { isPatientSince = now }
        judgesFrom = min(now + min(time, Self.patienceMax), isPatientSince + Self.patienceMaxInAll)
    }
}
