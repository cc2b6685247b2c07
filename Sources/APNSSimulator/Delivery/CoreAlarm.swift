import Networking

/// Timer for the next due work. Lives on the loop.
struct CoreAlarm {
    var loop: EventLoop?
    private var timer: LoopTimer?
    private var time = Int64.max

    /// Longest sleep: a timer counts real time, but the clock may be moved.
    private static let millisecondsMax: Int64 = 3_600_000

    init() {}

    /// False for what the last `set` covers: an early timer finds nothing due, and moving it with every push costs more.
    ///
    /// - Parameter next: milliseconds since 1970.
    func isLate(for next: Int64) -> Bool { loop != nil && next < time }

    /// Calls `action` once, at `next` or earlier; it must set the alarm again.
    mutating func set(for next: Int64, now: Int64, _ action: @escaping () -> Void) {
        guard let loop else { return }
        timer?.cancel()
        time = min(next, now + Self.millisecondsMax)
        timer = loop.schedule(after: Self.pause(until: time, from: now), action)
    }

    /// Whole seconds like the clock, rounded up: an earlier timer finds nothing due.
    private static func pause(until time: Int64, from now: Int64) -> Duration {
        .seconds(max(1, (time - now + 999) / 1000))
    }

    mutating func rang() {
        timer = nil
        time = .max
    }

    mutating func cancel() {
        timer?.cancel()
        timer = nil
        loop = nil
    }
}
