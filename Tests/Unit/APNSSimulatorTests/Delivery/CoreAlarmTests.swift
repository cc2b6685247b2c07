import Glibc
import Networking
import Platform
import Testing

@testable import APNSSimulator

struct CoreAlarmTests {
    /// Sleeps until a time, as the simulator does: by a clock of whole seconds. Lives on the loop.
    private final class Sleeper {
        private var alarm = CoreAlarm()
        private let due: Int64
        private let whenDue: (Int) -> Void
        private var wakeUpCount = 0

        init(_ loop: EventLoop, until due: Int64, whenDue: @escaping (Int) -> Void) {
            (self.due, self.whenDue) = (due, whenDue)
            alarm.loop = loop
        }

        func sleep() {
            let now = Int64(time(nil)) * 1000
            guard now < due else { return whenDue(wakeUpCount) }
            alarm.set(for: due, now: now) { [self] in
                alarm.rang()
                wakeUpCount += 1
                sleep()
            }
        }
    }

    @Test(arguments: [1, 500, 999, 1000] as [Int64])
    func `a time is waited for once, also between two seconds`(_ milliseconds: Int64) async throws {
        let loop = try EventLoop()
        let due = Int64(time(nil)) * 1000 + milliseconds
        let wakeUpCount = await withCheckedContinuation { continuation in
            loop.perform { Sleeper(loop, until: due) { continuation.resume(returning: $0) }.sleep() }
        }
        #expect(wakeUpCount <= 1)
        loop.stopAnywhere()
    }
}
