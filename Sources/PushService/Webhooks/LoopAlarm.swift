import Envelope
import Networking

/// Timer for the earliest of several times, on the loop.
struct LoopAlarm {
    /// Fires at least this often, because wall clocks are set.
    private static let longestWait = Duration.seconds(60)
    private static let shortestWait = Duration.milliseconds(10)

    var isDue = false
    private let loop: EventLoop
    private var timer: LoopTimer?
    private var dueTime: MonotonicTime?

    init(loop: EventLoop) { self.loop = loop }

    /// - Parameter time: by the wall clock.
    mutating func set(at time: Timestamp, now: Timestamp, _ action: @escaping @Sendable () -> Void) {
        let wait = time.milliseconds - min(time.milliseconds, now.milliseconds)
        set(after: .milliseconds(Int64(clamping: wait)), action)
    }

    /// Does nothing if it fires earlier anyway.
    mutating func set(after wait: Duration, _ action: @escaping @Sendable () -> Void) {
        let wait = min(max(wait, Self.shortestWait), Self.longestWait)
        let time = MonotonicTime.now() + wait
        if let dueTime, dueTime <= time, dueTime > .now() { return }
        timer?.cancel()
        dueTime = time
        timer = loop.schedule(after: wait, action)
    }

    mutating func cancel() {
        timer?.cancel()
        timer = nil
        dueTime = nil
    }
}
