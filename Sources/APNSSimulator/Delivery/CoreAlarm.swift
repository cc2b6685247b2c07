import Transport

/// The loop's timer for what is due next. Lives on the loop.
struct CoreAlarm {
    var loop: EventLoop?
    private var timer: LoopTimer?
    private var time = Int64.max

    /// The clock may be moved under a timer, and a timer counts real time: it looks again at least so often.
    private static let millisecondsMax: Int64 = 3_600_000

    init() {}

    /// Sees that `action` is called at `next`, or before; it is to set the alarm again.
    ///
    /// - Parameters:
    ///   - next: milliseconds since 1970; `nil` for never.
    ///   - now: milliseconds since 1970.
    ///   - action: called once, on the loop.
    mutating func set(for next: Int64?, now: Int64, _ action: @escaping () -> Void) {
        // A timer that comes too early finds nothing to do: moving it with every push would cost more.
        guard let loop, let next, next < time else { return }
        timer?.cancel()
        time = min(next, now + Self.millisecondsMax)
        timer = loop.schedule(after: Self.pause(until: time, from: now), action)
    }

    /// The time to sleep. The clock counts whole seconds: it reaches a time between two of them with the later one. A timer
    /// that rings sooner finds nothing due, a thousand times in the worst case.
    private static func pause(until time: Int64, from now: Int64) -> Duration {
        .seconds(max(1, (time - now + 999) / 1000))
    }

    /// The timer called.
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
