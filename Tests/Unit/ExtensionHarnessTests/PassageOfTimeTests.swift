import Testing

@testable import ExtensionHarness

struct PassageOfTimeTests {
    private static let second = SimulatedClock.Instant(offset: .seconds(1))

    @Test func `time goes on at once where the extension waits, after enough quiet looks`() {
        var passage = PassageOfTime(.automatic(scale: 30))
        let reading = reading(deadline: 1, sleeperCount: 1)
        for look in 0..<PassageOfTime.settledLookCount {
            #expect(passage.look(reading, at: .milliseconds(look)) == .wait)
        }
        #expect(passage.look(reading, at: .milliseconds(50)) == .advance(to: Self.second, .virtual))
    }

    @Test func `anything that happens to the clock starts the looks again`() {
        var passage = PassageOfTime(.automatic(scale: 30))
        for look in 0..<100 {
            let reading = reading(deadline: 1, sleeperCount: 1, changeCount: look / 5)
            #expect(passage.look(reading, at: .zero) == .wait)
        }
    }

    @Test func `no time passes at once while a call runs`() {
        var passage = PassageOfTime(.automatic(scale: 30))
        for _ in 0..<100 {
            #expect(passage.look(reading(deadline: 1, sleeperCount: 1, holdCount: 1), at: .zero) == .wait)
        }
    }

    @Test func `what only the system waits for comes in scaled time`() {
        var passage = PassageOfTime(.automatic(scale: 2))
        let reading = reading(deadline: 1)
        #expect(passage.lookOften(reading, at: .seconds(5)) == .wait)
        #expect(passage.look(reading, until: .milliseconds(5_499), since: .seconds(5)) == .wait)
        #expect(passage.look(reading, at: .milliseconds(5_500)) == .advance(to: Self.second, .scaled(by: 2)))
    }

    @Test(arguments: [(0, PassageOfTime.realWaitMin), (1, PassageOfTime.workTimeMax)])
    func `however fast, threads have to be had, and work to be done`(_ holdCount: Int, _ least: Duration) {
        var passage = PassageOfTime(.automatic(scale: 1_000_000))
        let reading = reading(deadline: 1, holdCount: holdCount)
        #expect(passage.lookOften(reading, at: .zero) == .wait)
        #expect(passage.look(reading, until: least - .milliseconds(1), since: .zero) == .wait)
        #expect(passage.look(reading, at: least) != .wait)
    }

    @Test(arguments: [0, 1])
    func `a machine that stands still gives the extension its time`(_ holdCount: Int) {
        var passage = PassageOfTime(.automatic(scale: 30))
        let reading = reading(deadline: 30, holdCount: holdCount)
        #expect(passage.look(reading, until: .milliseconds(900), since: .zero) == .wait)
        // For a minute, twice.
        #expect(passage.look(reading, at: .seconds(61)) == .wait)
        #expect(passage.look(reading, at: .seconds(121)) == .wait)
        let next = passage.look(reading, until: .milliseconds(121_080), since: .seconds(121))
        #expect(next == .advance(to: SimulatedClock.Instant(offset: .seconds(30)), .scaled(by: 30)))
    }

    @Test func `a machine too busy to look gives the extension its time`() {
        var passage = PassageOfTime(.automatic(scale: 30))
        for look in 1..<PassageOfTime.realWaitLookMin {
            #expect(passage.look(reading(deadline: 1), at: .seconds(look)) == .wait)
        }
        #expect(passage.look(reading(deadline: 1), at: .seconds(100)) != .wait)
    }

    @Test func `a machine that has no processor for the extension gives it ten times as many looks`() {
        var passage = PassageOfTime(.automatic(scale: 30))
        let reading = reading(deadline: 1, sleeperCount: 1)
        for _ in 0..<10 * PassageOfTime.settledLookCount {
            #expect(passage.look(reading, at: .zero, isBusy: true) == .wait)
        }
        #expect(passage.look(reading, at: .zero, isBusy: true) != .wait)
    }

    @Test(arguments: [(0, PassageOfTime.realWaitMin), (1, PassageOfTime.workTimeMax)])
    func `time in which it has none counts a tenth`(_ holdCount: Int, _ least: Duration) {
        var passage = PassageOfTime(.automatic(scale: 30))
        let reading = reading(deadline: 1, holdCount: holdCount)
        let lookCount = Int(least / PassageOfTime.lookPauseMax) * 10
        for look in 0..<lookCount {
            #expect(passage.look(reading, at: PassageOfTime.lookPauseMax * look, isBusy: true) == .wait)
        }
        #expect(passage.look(reading, at: PassageOfTime.lookPauseMax * lookCount, isBusy: true) != .wait)
    }

    @Test(arguments: [Device.Timekeeping.automatic(scale: 30), .scaled(by: 30), .real])
    func `while a test asks for it no time passes, nor is it made up for`(_ timekeeping: Device.Timekeeping) {
        var passage = PassageOfTime(timekeeping)
        var still = reading(deadline: 10, sleeperCount: 1)
        still.isStandingStill = true
        for second in 0..<100 { #expect(passage.look(still, at: .seconds(second)) == .wait) }
        #expect(passage.look(reading(deadline: 10), at: .seconds(99)) == .wait)
    }

    @Test func `scaled time counts from when time last went on`() {
        var passage = PassageOfTime(.automatic(scale: 1))
        #expect(passage.look(reading(deadline: 3), at: .zero) == .wait)
        #expect(passage.lookOften(reading(now: 1, deadline: 3), at: .seconds(2)) == .wait)
        let last = passage.look(reading(now: 1, deadline: 3), until: .milliseconds(3_999), since: .seconds(2))
        #expect(last == .wait)
        #expect(passage.look(reading(now: 1, deadline: 3), at: .seconds(4)) != .wait)
    }

    @Test func `real time passes as it does`() {
        var passage = PassageOfTime(.real)
        #expect(passage.look(reading(deadline: 9, sleeperCount: 1), at: .seconds(7)) == .wait)
        let next = passage.look(reading(deadline: 9, sleeperCount: 1), at: .seconds(8))
        #expect(next == .advance(to: Self.second, .real))
    }

    @Test func `scaled time passes so many times as fast`() {
        var passage = PassageOfTime(.scaled(by: 100))
        #expect(passage.look(reading(), at: .zero) == .wait)
        #expect(passage.look(reading(), at: .milliseconds(10)) == .advance(to: Self.second, .scaled(by: 100)))
    }

    @Test func `by hand, nothing passes by itself`() {
        var passage = PassageOfTime(.byHand)
        for look in 0..<100 {
            #expect(passage.look(reading(deadline: 1, sleeperCount: 1), at: .seconds(look)) == .wait)
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity, 1e300, 1e-300])
    func `a scale that makes no sense is still time that passes`(_ scale: Double) {
        for timekeeping in [Device.Timekeeping.automatic(scale: scale), .scaled(by: scale)] {
            var passage = PassageOfTime(timekeeping)
            var hasPassed = false
            for look in 0...100_100 where !hasPassed {
                hasPassed = passage.look(reading(deadline: 1), at: PassageOfTime.lookPauseMax * look) != .wait
            }
            #expect(hasPassed)
        }
    }

    private func reading(
        now: Int = 0,
        deadline: Int? = nil,
        sleeperCount: Int = 0,
        holdCount: Int = 0,
        changeCount: Int = 0
    ) -> SimulatedClock.Reading {
        SimulatedClock.Reading(
            now: SimulatedClock.Instant(offset: .seconds(now)),
            nextDeadline: deadline.map { SimulatedClock.Instant(offset: .seconds($0)) },
            sleeperCount: sleeperCount,
            holdCount: holdCount,
            changeCount: changeCount
        )
    }
}

extension PassageOfTime {
    /// Looks as often as a deadline takes, at one moment.
    fileprivate mutating func lookOften(_ reading: SimulatedClock.Reading, at real: Duration) -> Action {
        for _ in 1..<Self.realWaitLookMin { _ = look(reading, at: real) }
        return look(reading, at: real)
    }

    /// Looks as often as an idle machine does.
    ///
    /// - Returns: the action of the last look, at `end`.
    fileprivate mutating func look(
        _ reading: SimulatedClock.Reading,
        until end: Duration,
        since start: Duration
    ) -> Action {
        var real = start
        while real < end {
            if case .advance = look(reading, at: real) { Issue.record("too early, at \(real)") }
            real += Self.lookPauseMax
        }
        return look(reading, at: end)
    }
}
