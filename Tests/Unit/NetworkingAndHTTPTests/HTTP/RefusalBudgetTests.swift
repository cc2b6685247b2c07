import Testing

@testable import HTTP
@testable import Networking

/// A budget of ten refusals a second, three of them in advance; no clock.
@Suite struct RefusalBudgetTests {
    private static let millisecond: Int64 = 1_000_000

    private static func measure(burst: Int64 = 3, countOfConnection: Int = 0) -> RefusalBudget.Measure {
        var measure = RefusalBudget.Measure()
        measure.percentMax = 10
        measure.nanosecondsEach = (10 * millisecond)...(100 * millisecond)
        measure.burst = burst
        measure.countOfConnection = countOfConnection
        return measure
    }

    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 5_000_000_000 + milliseconds * millisecond)
    }

    @Test func `what was paid for in advance holds nobody back, and the next one waits for its turn`() {
        var budget = RefusalBudget(Self.measure())
        var share = RefusalBudget.Share()
        for _ in 0..<3 { #expect(budget.refuse(&share, at: Self.time(0)) == nil) }
        #expect(budget.refuse(&share, at: Self.time(0)) == Self.time(100))
        #expect(budget.refuse(&share, at: Self.time(0)) == Self.time(200))
    }

    @Test func `connections wait behind each other`() {
        var budget = RefusalBudget(Self.measure(burst: 0))
        var (one, other) = (RefusalBudget.Share(), RefusalBudget.Share())
        #expect(budget.refuse(&one, at: Self.time(0)) == Self.time(100))
        #expect(budget.refuse(&other, at: Self.time(0)) == Self.time(200))
        #expect(budget.refuse(&one, at: Self.time(100)) == Self.time(300))
    }

    @Test func `after a rest there is as much in advance as in the beginning`() {
        var budget = RefusalBudget(Self.measure())
        var share = RefusalBudget.Share()
        for _ in 0..<4 { _ = budget.refuse(&share, at: Self.time(0)) }
        for _ in 0..<3 { #expect(budget.refuse(&share, at: Self.time(60_000)) == nil) }
        #expect(budget.refuse(&share, at: Self.time(60_000)) == Self.time(60_100))
    }

    @Test func `nobody waits longer than the longest hold, however many there were`() {
        var budget = RefusalBudget(Self.measure())
        var share = RefusalBudget.Share()
        var ends: [MonotonicTime?] = []
        for _ in 0..<1_000 { ends.append(budget.refuse(&share, at: Self.time(0))) }
        #expect(ends.last == Self.time(1_000))
        // A debt beyond it is forgiven.
        #expect(budget.refuse(&share, at: Self.time(1_000)) == Self.time(1_100))
    }

    @Test func `a connection with few of them in a second goes on, while another waits`() {
        var budget = RefusalBudget(Self.measure(burst: 0, countOfConnection: 2))
        var (heedful, heedless) = (RefusalBudget.Share(), RefusalBudget.Share())
        for _ in 0..<2 { #expect(budget.refuse(&heedless, at: Self.time(0)) == nil) }
        #expect(budget.refuse(&heedless, at: Self.time(0)) == Self.time(300))
        #expect(budget.refuse(&heedful, at: Self.time(1)) == nil)
        #expect(budget.refuse(&heedful, at: Self.time(999)) == nil)
        // Another second.
        #expect(budget.refuse(&heedful, at: Self.time(1_001)) == nil)
    }

    @Test func `however many come, no more are answered in the long run than may be`() {
        var budget = RefusalBudget(Self.measure(burst: 5))
        var shares = [RefusalBudget.Share](repeating: .init(), count: 7)
        var ends = [MonotonicTime](repeating: Self.time(0), count: shares.count)
        var count = 0
        // Every connection sends a request in each millisecond in which it is read.
        for moment in 0..<Int64(100_000) {
            for index in shares.indices where ends[index] <= Self.time(moment) {
                count += 1
                if let end = budget.refuse(&shares[index], at: Self.time(moment)) { ends[index] = end }
            }
        }
        #expect((990...1_020).contains(count))
    }

    @Test func `as it is, two and a half thousand cheap ones in a second are a fiftieth of it`() {
        var budget = RefusalBudget()
        var share = RefusalBudget.Share()
        var end = Self.time(0)
        for _ in 0..<2_756 { end = budget.refuse(&share, at: end) ?? end }
        #expect(end == Self.time(1_000))
    }

    /// The next hold's length after four requests that took so many milliseconds of the loop's time in so many turns.
    private static func hold(busy: Int64, turns: Int64, requests: Int = 4, within milliseconds: Int64 = 100) -> Int64? {
        var budget = RefusalBudget(measure(burst: 0))
        budget.measure(EventLoop.Usage(nanoseconds: 7 * millisecond, turnCount: 5), at: time(0))
        for _ in 0..<requests { budget.didBegin() }
        let usage = EventLoop.Usage(nanoseconds: (7 + busy) * millisecond, turnCount: 5 + turns)
        budget.measure(usage, at: time(milliseconds))
        var share = RefusalBudget.Share()
        return budget.refuse(&share, at: time(1_000)).map { ($0.nanoseconds - time(1_000).nanoseconds) / millisecond }
    }

    @Test func `a refusal costs the time that the loop takes for a request which comes alone`() {
        #expect(Self.hold(busy: 80, turns: 4) == 200)
        #expect(Self.hold(busy: 80, turns: 40) == 200)
    }

    @Test func `among requests that share turns it costs less`() {
        #expect(Self.hold(busy: 80, turns: 2) == 150)
        #expect(Self.hold(busy: 80, turns: 0) == 100)
    }

    @Test func `a measured cost stays within its bounds`() {
        #expect(Self.hold(busy: 8, turns: 4) == 100)
        #expect(Self.hold(busy: 800, turns: 4) == 1_000)
        #expect(Self.hold(busy: 80, turns: 0, requests: 0) == 100)
    }

    @Test func `a short time measures nothing`() {
        #expect(Self.hold(busy: 80, turns: 4, within: 99) == 100)
    }
}
