/// Decides when a device's time advances. Readings of its clock in, one action out; no clock, no thread.
///
/// Idle code cannot be recognized from outside, so this is a rule, no proof:
/// - None passes while a test asks for that.
/// - None passes while a system call into the extension runs, or code bound to the device; after a second of real time
///   such work counts as waiting.
/// - If the extension waits on the device's clock, time advances to the next deadline after `settledLookCount` looks in
///   a row without an event. Each look waits for a thread behind other ready work: a busy machine stretches them.
/// - If only the system waits on the clock, the extension works or waits for something real: the deadline is a real
///   one, scaled, and takes `realWaitLookMin` looks. Between two looks only `lookPauseMax` counts: while the machine
///   stands still, so does the extension.
/// - A look before which the kernel took a processor from a thread of this process counts a tenth: the extension may
///   have been that thread, or wait behind it.
struct PassageOfTime: Sendable {
    enum Action: Sendable, Equatable {
        case wait
        case advance(to: SimulatedClock.Instant, TimeUsed)
    }

    static let lookInterval = Duration.milliseconds(2)
    /// Most time counted between two looks, when an extension's real time is measured.
    static let lookPauseMax = Duration.milliseconds(10)
    /// About 20 ms on a machine at rest: long beside an extension's work between two waits.
    static let settledLookCount = 10

    /// Minimum of a real deadline at any scale: threads have to be scheduled.
    static let realWaitMin = Duration.milliseconds(250)
    /// Fewest looks before a real deadline: on a busy machine a task waits for its thread as long as a look does.
    static let realWaitLookMin = 100
    /// Minimum of a real deadline while a call runs.
    static let workTimeMax = Duration.seconds(1)

    private let timekeeping: Device.Timekeeping
    private var lastChangeCount: Int?
    /// In tenths of a look.
    private var quietTenthCount = 0
    private var origin: Origin?
    private var lastLook: Duration?

    /// Point at which simulated and real time last agreed.
    private struct Origin {
        let simulated: SimulatedClock.Instant
        let real: Duration
        var lookCount = 0
        /// Real time credited to the extension since then.
        var given = Duration.zero
    }

    init(_ timekeeping: Device.Timekeeping) {
        self.timekeeping = timekeeping
    }

    /// - Parameter isBusy: a thread of this process lost its processor since the last look.
    mutating func look(_ reading: SimulatedClock.Reading, at real: Duration, isBusy: Bool = false) -> Action {
        let tenths = isBusy ? 1 : 10
        quietTenthCount = reading.changeCount == lastChangeCount ? quietTenthCount + tenths : 0
        lastChangeCount = reading.changeCount
        let isSame = origin?.simulated == reading.now && !reading.isStandingStill
        var start = (isSame ? origin : nil) ?? Origin(simulated: reading.now, real: real)
        start.lookCount += 1
        if isSame { start.given += min(real - (lastLook ?? real), Self.lookPauseMax) * tenths / 10 }
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
                return quietTenthCount >= 10 * Self.settledLookCount ? .advance(to: deadline, .virtual) : .wait
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

    /// Bounds a factor to what a `Duration` can be multiplied by; NaN counts as 1.
    private static func bounded(_ factor: Double) -> Double {
        factor > 0 ? min(max(factor, 0.001), 1_000_000) : 1
    }
}
