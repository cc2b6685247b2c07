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

    /// Ends it at the latest after this long in real time, or as soon as the task is cancelled.
    func end(after duration: Duration) async {
        // Cancelled is over.
        try? await ContinuousClock().sleep(for: duration)
        end()
    }
}
