import Platform

/// Keeps a clock from going on until it ends, however often and from wherever that is said.
final class ClockHold: Sendable {
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

    /// Ends it at the latest after this long in real time, or as soon as the task is cancelled. Slept in short pieces, so
    /// that a machine that stands still takes only one of them away.
    func end(after duration: Duration) async {
        let piece = PassageOfTime.lookPauseMax
        for _ in 0..<Int(duration / piece) where !isOver.withLock({ $0 }) {
            // Cancelled is over.
            do { try await ContinuousClock().sleep(for: piece) } catch { break }
        }
        end()
    }
}
