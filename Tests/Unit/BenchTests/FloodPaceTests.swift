import Networking
import Testing

@testable import Bench

struct FloodPaceTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 7_000_000_000 + milliseconds * 1_000_000)
    }

    @Test func `as many are due as the rate says, however often it is looked`() {
        for step in [1, 3, 7, 250] as [Int64] {
            var pace = FloodPace(perSecond: 12_345, start: Self.time(0))
            var count = 0
            for moment in stride(from: 0 as Int64, to: 2_000, by: Int64.Stride(step)) {
                count += pace.take(at: Self.time(moment))
            }
            count += pace.take(at: Self.time(2_000))
            #expect(count == 24_690, "steps of \(step) ms")
        }
    }

    @Test func `what was late is due at once, and nothing twice`() {
        var pace = FloodPace(perSecond: 1_000, start: Self.time(0))
        #expect(pace.take(at: Self.time(0)) == 0 && pace.take(at: Self.time(500)) == 500)
        #expect(pace.take(at: Self.time(500)) == 0 && pace.take(at: Self.time(501)) == 1)
    }
}
