import Platform
import Testing

@testable import NotificationCore

struct AlarmClockTests {
    private let clock = AlarmClock()
    private let rung = Guarded<[String]>([])

    private func set(_ name: String, after delay: Duration, then: @escaping @Sendable () -> Void = {}) -> UInt64 {
        clock.set(after: delay) { [rung] in
            rung.withLock { $0.append(name) }
            then()
        }
    }

    @Test func `an alarm rings once, and not before its time`() async {
        let start = ContinuousClock.now
        await withCheckedContinuation { continuation in
            _ = set("a", after: .milliseconds(20)) { continuation.resume() }
        }
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        // Its task has ended, or is about to: another alarm still fires.
        await withCheckedContinuation { continuation in _ = set("b", after: .zero) { continuation.resume() } }
        #expect(rung.withLock { $0 } == ["a", "b"])
    }

    @Test func `an alarm that was called off does not ring, and the others do`() async {
        // Again if this machine paused, and it fired before it was cancelled.
        var isCalledOffInTime = false
        while !isCalledOffInTime {
            rung.withLock { $0 = [] }
            let start = ContinuousClock.now
            let first = set("called off", after: .milliseconds(300))
            clock.callOff(first)
            isCalledOffInTime = ContinuousClock.now - start < .milliseconds(300)
            await withCheckedContinuation { continuation in
                _ = set("rings", after: .milliseconds(400)) { continuation.resume() }
            }
        }
        #expect(rung.withLock { $0 } == ["rings"])
    }

    @Test func `to call off what has rung does nothing`() async {
        let number = Guarded<UInt64>(0)
        await withCheckedContinuation { continuation in
            let set = set("a", after: .zero) { continuation.resume() }
            number.withLock { $0 = set }
        }
        clock.callOff(number.withLock { $0 })
        await withCheckedContinuation { continuation in _ = set("b", after: .zero) { continuation.resume() } }
        #expect(rung.withLock { $0 } == ["a", "b"])
    }

    @Test func `a thousand alarms in any order all ring`() async {
        let count = 1_000
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        _ = set("\(number)", after: .milliseconds(number * 37 % 50)) { continuation.resume() }
                    }
                }
            }
        }
        #expect(Set(rung.withLock { $0 }).count == count && rung.withLock { $0.count } == count)
    }
}
