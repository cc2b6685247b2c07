import Networking

/// Timer for the next due work. Lives on the loop.
struct CoreAlarm {
    var loop: EventLoop?
    private var timer: LoopTimer?
    private var time = Int64.max

    /// Longest sleep: a timer counts real time, but the clock may be moved.
    private static let millisecondsMax: Int64 = 3_600_000

    init() {}

    /// Calls `action` once, at `next` or earlier; it must set the alarm again.
    ///
    /// - Parameter next: milliseconds since 1970; `nil` for never.
    mutating func set(for next: Int64?, now: Int64, _ action: @escaping () -> Void) {
        // An early timer finds nothing due; moving it with every push costs more.
        guard let loop, let next, next < time else { return }
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
