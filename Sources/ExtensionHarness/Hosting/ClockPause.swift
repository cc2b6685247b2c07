import Platform

/// Holds a clock until `end`, which may be called repeatedly and from any thread.
final class ClockPause: Sendable {
    private let clock: SimulatedClock
    private let isOver = Guarded(false)

    init(_ clock: SimulatedClock) {
        self.clock = clock
        clock.hold()
    }

    func end() {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        if !wasOver { clock.release() }
    }

    /// Ends the hold after this much real time, or on cancellation. Sleeps in short pieces, of which a stalled machine
    /// uses up one.
    func end(after duration: Duration) async {
        let piece = PassageOfTime.lookPauseMax
        for _ in 0..<Int(duration / piece) where !isOver.withLock({ $0 }) {
            // Cancellation ends the hold.
            do { try await ContinuousClock().sleep(for: piece) } catch { break }
        }
        end()
    }
}
