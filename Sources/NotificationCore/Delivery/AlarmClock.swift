import Platform

/// The deadlines of a process: one task sleeps for all of them. A task and a timer of its own for each push would be a
/// quarter of all that a push costs (measured with Swift 6.3 on Linux), and nearly every one of them is called off.
final class AlarmClock: Sendable {
    static let ofProcess = AlarmClock()

    /// How long the task sleeps at most. It ends when it finds nothing to wait for.
    private static let napMax = Duration.milliseconds(250)

    private struct Alarm: Sendable {
        let time: ContinuousClock.Instant
        let body: @Sendable () -> Void
    }

    private struct State: Sendable {
        var alarms: [UInt64: Alarm] = [:]
        var nextNumber: UInt64 = 0
        var isWatched = false
    }

    private enum Watch {
        case nap(until: ContinuousClock.Instant)
        case ring([Alarm])
        case end
    }

    private let state = Guarded(State())

    /// - Parameters:
    ///   - delay: from now; one that is shorter than 250 ms may take as long.
    ///   - body: runs in a task of its own, unless the alarm is called off before.
    /// - Returns: the alarm's number.
    func set(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> UInt64 {
        let alarm = Alarm(time: .now + delay, body: body)
        let (number, starts) = state.withLock { state in
            defer {
                state.nextNumber += 1
                state.isWatched = true
            }
            state.alarms[state.nextNumber] = alarm
            return (state.nextNumber, !state.isWatched)
        }
        // For the process, whoever set the first alarm: it ends by itself.
        if starts { Task.detached { await self.watch() } }
        return number
    }

    /// Nothing where it has rung.
    func callOff(_ number: UInt64) { state.withLock { $0.alarms[number] = nil } }

    private func watch() async {
        while true {
            let now = ContinuousClock.now
            switch state.withLock({ Self.next(&$0, now: now) }) {
            // Nobody cancels this task, and a sleep that ended early would be followed by another.
            case .nap(let end): do { try await ContinuousClock().sleep(until: end) } catch {}
            // What one does must not hold the others up.
            case .ring(let due): for alarm in due { Task.detached { alarm.body() } }
            case .end: return
            }
        }
    }

    private static func next(_ state: inout State, now: ContinuousClock.Instant) -> Watch {
        let due = state.alarms.filter { $0.value.time <= now }
        guard due.isEmpty else {
            for number in due.keys { state.alarms[number] = nil }
            return .ring(Array(due.values))
        }
        guard let first = state.alarms.values.map(\.time).min() else {
            state.isWatched = false
            return .end
        }
        return .nap(until: min(first, now + napMax))
    }
}
