/// Rate limiter for device tokens. Remembers tokens whose last push still counts.
///
/// - Source: generic cell rate algorithm (ITU-T I.371); a token's number is its next push's due time.
struct RequestRate {
    /// Milliseconds between pushes; 0: no limit.
    private var interval: Int64 = 0
    private var tolerance: Int64 = 0
    private var dueTimes: [UInt32: Int64] = [:]
    private var sweptCount = 1024

    var count: Int { dueTimes.count }

    init(perMinute: Int64, burst: Int64) { adopt(perMinute: perMinute, burst: burst) }

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
