/// Decides when a device's time goes on. Readings of its clock in, one action out; no clock, no thread.
///
/// Nobody can know from outside that code has nothing left to do, so this is a rule and not a proof:
/// - No time passes while a test asks for that.
/// - Nor while one of the system's calls into the extension runs, or code that says which device it runs on. What runs for
///   longer than a second of real time counts as waiting for something.
/// - Where the extension waits on the device's clock, time goes on to the next deadline once nothing has happened to the
///   clock for `settledLookCount` looks in a row. The looks are apart in real time, and each waits for a thread behind
///   whatever else is ready to run, so a busy machine stretches them.
/// - Where nobody but the system waits on it, the extension either still works or waits for something real, and the
///   deadline is a real one, scaled. It takes `realWaitLookMin` looks as well, for the same reason; and of the time between
///   two looks only `lookPauseMax` counts: while the machine stands still, so does the extension.
struct PassageOfTime: Sendable {
    enum Action: Sendable, Equatable {
        case wait
        case advance(to: SimulatedClock.Instant, TimeUsed)
    }

    /// Between two looks, in real time.
    static let lookInterval = Duration.milliseconds(2)
    /// The most that counts of the time between two looks, where an extension's real time is measured.
    static let lookPauseMax = Duration.milliseconds(10)
    /// About 20 ms on a machine at rest: long beside what an extension does between two waits.
    static let settledLookCount = 10

    /// A real deadline comes no sooner than this, whatever the scale: threads have to be had.
    static let realWaitMin = Duration.milliseconds(250)
    /// Nor after fewer looks: on a busy machine a task waits for its thread as long as a look does.
    static let realWaitLookMin = 100
    /// Nor, while something runs, than this.
    static let workTimeMax = Duration.seconds(1)

    private let timekeeping: Device.Timekeeping
    private var lastChangeCount: Int?
    private var quietLookCount = 0
    private var origin: Origin?
    private var lastLook: Duration?

    /// Where simulated and real time were last the same.
    private struct Origin {
        let simulated: SimulatedClock.Instant
        let real: Duration
        var lookCount = 0
        /// What the extension had of the time since then.
        var given = Duration.zero
    }

    init(_ timekeeping: Device.Timekeeping) {
        self.timekeeping = timekeeping
    }

    /// - Parameters:
    ///   - reading: of the device's clock.
    ///   - real: since some fixed moment.
    /// - Returns: what to do now. Another look follows either way.
    mutating func look(_ reading: SimulatedClock.Reading, at real: Duration) -> Action {
        quietLookCount = reading.changeCount == lastChangeCount ? quietLookCount + 1 : 0
        lastChangeCount = reading.changeCount
        let isSame = origin?.simulated == reading.now && !reading.isStandingStill
        var start = (isSame ? origin : nil) ?? Origin(simulated: reading.now, real: real)
        start.lookCount += 1
        if isSame { start.given += min(real - (lastLook ?? real), Self.lookPauseMax) }
        lastLook = real
        origin = start
        if reading.isStandingStill { return .wait }
        switch timekeeping {
        case .byHand: return .wait
        case .real: return flow(reading, from: start, to: real, factor: 1, .real)
        case .scaled(let factor):
            return flow(reading, from: start, to: real, factor: Self.bounded(factor), .scaled(by: factor))
        case .automatic(let factor):
            guard let deadline = reading.nextDeadline else { return .wait }
            if reading.sleeperCount > 0, reading.holdCount == 0 {
                return quietLookCount >= Self.settledLookCount ? .advance(to: deadline, .virtual) : .wait
            }
            let scaled = reading.now.duration(to: deadline) / Self.bounded(factor)
            let isDue = start.given >= max(scaled, reading.holdCount > 0 ? Self.workTimeMax : Self.realWaitMin)
            return isDue && start.lookCount >= Self.realWaitLookMin
                ? .advance(to: deadline, .scaled(by: factor)) : .wait
        }
    }

    private func flow(
        _ reading: SimulatedClock.Reading,
        from start: Origin,
        to real: Duration,
        factor: Double,
        _ used: TimeUsed
    ) -> Action {
        let now = start.simulated.advanced(by: (real - start.real) * factor)
        return now > reading.now ? .advance(to: now, used) : .wait
    }

    /// Keeps any factor within what a `Duration` can be multiplied by: a factor that is no number counts as 1.
    private static func bounded(_ factor: Double) -> Double {
        factor > 0 ? min(max(factor, 0.001), 1_000_000) : 1
    }
}
