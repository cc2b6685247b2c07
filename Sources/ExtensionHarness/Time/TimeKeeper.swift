import Platform

/// Advances a clock as `PassageOfTime` decides, and records the time used. One for each delivery; of two advances from
/// the same reading, the clock accepts the first.
final class TimeKeeper: Sendable {
    private let clock: SimulatedClock
    private let used = Guarded(TimeUsed.none)

    init(_ clock: SimulatedClock) {
        self.clock = clock
    }

    /// Time that the longest wait was measured in: real before scaled, scaled before virtual.
    var timeUsed: TimeUsed { used.withLock { $0 } }

    func run(_ timekeeping: Device.Timekeeping) async {
        guard timekeeping != .byHand else { return }
        let start = ContinuousClock.now
        var passage = PassageOfTime(timekeeping)
        var lostCount = Self.lostProcessorCount
        while !Task.isCancelled {
            let reading = clock.reading
            let lastLostCount = lostCount
            lostCount = Self.lostProcessorCount
            let isBusy = lostCount != lastLostCount
            if case .advance(let instant, let time) = passage.look(
                reading,
                at: start.duration(to: .now),
                isBusy: isBusy
            ),
                clock.advance(to: instant, unlessChangedSince: reading)
            {
                note(time)
            }
            // Cancellation is checked by the loop.
            try? await ContinuousClock().sleep(for: PassageOfTime.lookInterval)
        }
    }

    /// Number of times that the kernel took a processor from a thread of this process.
    private static var lostProcessorCount: Int {
        var usage = rusage()
        // It cannot fail with these arguments.
        _ = unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_nivcsw
    }

    private func note(_ time: TimeUsed) {
        used.withLock { used in
            if case .scaled = used, time == .virtual { return }
            used = time
        }
    }
}
