import Envelope
import Transport

/// Rings once at the earliest of the times that it was told. Of one object on the loop.
struct LoopBell {
    /// Clocks of the wall are set: at the latest after so long it is looked at again.
    private static let longestWait = Duration.seconds(60)
    private static let shortestWait = Duration.milliseconds(10)

    /// Whether something happened that was not looked at yet.
    var isRung = false
    private let loop: EventLoop
    private var timer: LoopTimer?
    private var rings: MonotonicTime?

    init(loop: EventLoop) { self.loop = loop }

    /// - Parameters:
    ///   - time: of the wall's clock.
    ///   - now: by the same clock.
    ///   - action: called on the loop.
    mutating func ring(at time: Timestamp, now: Timestamp, _ action: @escaping @Sendable () -> Void) {
        let wait = time.milliseconds - min(time.milliseconds, now.milliseconds)
        ring(after: .milliseconds(Int64(clamping: wait)), action)
    }

    /// Nothing when it rings earlier anyway.
    mutating func ring(after wait: Duration, _ action: @escaping @Sendable () -> Void) {
        let wait = min(max(wait, Self.shortestWait), Self.longestWait)
        let time = MonotonicTime.now() + wait
        if let rings, rings <= time, rings > .now() { return }
        timer?.cancel()
        rings = time
        timer = loop.schedule(after: wait, action)
    }

    mutating func cancel() {
        timer?.cancel()
        timer = nil
        rings = nil
    }
}
