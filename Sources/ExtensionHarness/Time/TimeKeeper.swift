import Platform

/// Makes a clock go on as `PassageOfTime` decides, and remembers which time was used.
///
/// Each delivery has its own, for as long as it runs. Several on one clock do no harm: of two that decide to go on from
/// the same reading, the clock heeds the first.
final class TimeKeeper: Sendable {
    private let clock: SimulatedClock
    private let used = Guarded(TimeUsed.none)

    init(_ clock: SimulatedClock) {
        self.clock = clock
    }

    /// The time that the longest wait was measured in: real before scaled, scaled before virtual.
    var timeUsed: TimeUsed { used.withLock { $0 } }

    /// Returns when the task is cancelled.
    func run(_ timekeeping: Device.Timekeeping) async {
        guard timekeeping != .byHand else { return }
        let start = ContinuousClock.now
        var passage = PassageOfTime(timekeeping)
        while !Task.isCancelled {
            let reading = clock.reading
            if case .advance(let instant, let time) = passage.look(reading, at: start.duration(to: .now)),
                clock.advance(to: instant, unlessChangedSince: reading)
            {
                note(time)
            }
            // Cancelled is over: the loop asks.
            try? await ContinuousClock().sleep(for: PassageOfTime.lookInterval)
        }
    }

    private func note(_ time: TimeUsed) {
        used.withLock { used in
            if case .scaled = used, time == .virtual { return }
            used = time
        }
    }
}
