import ExtensionHarness
import Testing

struct SimulatedClockTests {
    @Test func `a sleeper wakes when its deadline is reached, and not before`() async throws {
        let clock = SimulatedClock()
        let start = clock.now
        let sleeper = Task { try await clock.sleep(for: .seconds(30)) }
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(29_999))
        // Still asleep: otherwise this would wait for ever.
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(1))
        try await sleeper.value
        #expect(start.duration(to: clock.now) == .seconds(30))
    }

    @Test func `one advance wakes everyone who is due`() async throws {
        let clock = SimulatedClock()
        try await withThrowingTaskGroup { group in
            for seconds in 1...20 { group.addTask { try await clock.sleep(for: .seconds(seconds)) } }
            await clock.waitForSleepers(20)
            clock.advance(by: .seconds(20))
            try await group.waitForAll()
        }
    }

    @Test func `a deadline that has passed does not wait`() async throws {
        let clock = SimulatedClock()
        let start = clock.now
        try await clock.sleep(until: start)
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: start.advanced(by: .milliseconds(5)))
    }

    @Test func `a cancelled sleeper wakes with an error`() async {
        let clock = SimulatedClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func `cancelling at any moment wakes the sleeper`() async {
        let clock = SimulatedClock()
        for _ in 0..<1_000 {
            let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
    }
}
