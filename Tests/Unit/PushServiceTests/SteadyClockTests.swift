import Envelope
import ServiceParts
import TestSupport
import Testing

@testable import PushService

struct SteadyClockTests {
    private static let hour: UInt64 = 3_600_000
    private static let start: UInt64 = 1_800_000_000_000
    private static let second: Int64 = 1_000_000_000

    @Test func `the wall's time is taken as it is`() {
        var clock = SteadyClock()
        for (wall, uptime) in [(0, 0), (1, 0), (1_000, 1), (1_000 + Self.hour, 2)] as [(UInt64, Int64)] {
            let time = Timestamp(milliseconds: Self.start + wall)
            #expect(clock.time(wall: time, uptime: uptime * Self.second) == time)
        }
    }

    @Test func `a wall that is set back an hour is waited for, and waits go on (abuse case 98)`() {
        var clock = SteadyClock()
        let before = clock.time(wall: Timestamp(milliseconds: Self.start), uptime: 0)
        func time(afterSeconds seconds: Int64) -> Timestamp {
            let wall = Self.start - Self.hour + UInt64(seconds) * 1_000
            return clock.time(wall: Timestamp(milliseconds: wall), uptime: seconds * Self.second)
        }
        #expect(time(afterSeconds: 0) == before)
        #expect(time(afterSeconds: 80) == before.advanced(by: .seconds(70)))
        // An eighth of eight hours has been made up.
        #expect(time(afterSeconds: 8 * 3_600) == before.advanced(by: .seconds(7 * 3_600)))
        #expect(time(afterSeconds: 9 * 3_600) == before.advanced(by: .seconds(8 * 3_600)))
    }

    @Test func `a wall that stands still stops nothing (abuse case 98)`() {
        var clock = SteadyClock()
        let wall = Timestamp(milliseconds: Self.start)
        for seconds in [0, 8, 80, 800] as [Int64] {
            let time = clock.time(wall: wall, uptime: seconds * Self.second)
            #expect(time == wall.advanced(by: .seconds(seconds / 8 * 7)))
        }
    }

    @Test func `a wall that was years ahead is followed when it is set right (abuse case 98)`() {
        var clock = SteadyClock()
        let right = Timestamp(milliseconds: Self.start)
        let wrong = right.advanced(by: .seconds(10 * 365 * 86_400))
        #expect(clock.time(wall: wrong, uptime: 0) == wrong)
        #expect(clock.time(wall: right, uptime: Self.second) == right)
    }

    @Test func `whatever the wall does, time goes back only with a wall that does by more than a day`() throws {
        var random = SeededRandom(seed: RunSeed.here())
        var clock = SteadyClock()
        var (wall, uptime, last) = (Self.start, Int64(0), UInt64(0))
        for _ in 0..<20_000 {
            uptime += Int64.random(in: 0...20 * Self.second, using: &random)
            let jump = Int64.random(in: -90_000_000...90_000_000, using: &random)
            let step = Int64.random(in: 0...20_000, using: &random)
            wall = UInt64(Int64(wall) + (Int.random(in: 0..<10, using: &random) == 0 ? jump : step))
            let time = clock.time(wall: Timestamp(milliseconds: wall), uptime: uptime).milliseconds
            try #require(time >= wall)
            try #require(time >= last || time == wall && last - wall > 86_000_000, "\(last) \(time) \(wall)")
            last = time
        }
    }

    @Test func `from its first comparison on it has the relays' time, and does not go back by a later one`() {
        let uptime: Int64 = 5 * Self.second
        let clock = ServiceClock.steady(wall: { Timestamp(milliseconds: Self.start) }, uptime: { uptime })
        let own = clock.now()
        #expect(own.milliseconds == Self.start)
        clock.follow(8_000)
        let shared = clock.now()
        #expect(shared.milliseconds == Self.start - 8_000)
        clock.follow(8_002)
        #expect(clock.now() == shared)
        clock.follow(7_990)
        #expect(clock.now().milliseconds == Self.start - 7_990)
        #expect(clock.wall().milliseconds == Self.start)
    }
}
