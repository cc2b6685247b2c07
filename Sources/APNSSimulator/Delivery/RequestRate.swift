/// How often each device token is pushed to. Remembers only those whose last push still counts.
///
/// - Source: the generic cell rate algorithm (ITU-T I.371): one number a token says when its next push would be on time.
struct RequestRate {
    /// Milliseconds from one push to the next; 0 counts nothing.
    private var interval: Int64 = 0
    /// How much too early a push may be.
    private var tolerance: Int64 = 0
    private var dueTimes: [UInt32: Int64] = [:]
    private var sweptCount = 1024

    var count: Int { dueTimes.count }

    init(perMinute: Int64, burst: Int64) { adopt(perMinute: perMinute, burst: burst) }

    /// Measures by these from now on. Earlier pushes count as they did.
    mutating func adopt(perMinute: Int64, burst: Int64) {
        interval = perMinute > 0 ? max(1, 60_000 / perMinute) : 0
        tolerance = interval * (burst - 1)
    }

    func isTooFrequent(_ installation: UInt32, at now: Int64) -> Bool {
        guard interval > 0, let due = dueTimes[installation] else { return false }
        return due - now > tolerance
    }

    mutating func note(_ installation: UInt32, at now: Int64) {
        guard interval > 0 else { return }
        dueTimes[installation] = max(dueTimes[installation] ?? now, now) + interval
        guard dueTimes.count > sweptCount else { return }
        dueTimes = dueTimes.filter { $0.value > now }
        sweptCount = max(1024, 2 * dueTimes.count)
    }
}
