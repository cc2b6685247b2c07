import Platform

/// Deadlines of a process, in one sleeping task. A task and timer per push, nearly always cancelled, would be a quarter
/// of its cost (measured with Swift 6.3 on Linux).
final class AlarmClock: Sendable {
    static let ofProcess = AlarmClock()

    /// Longest sleep; the task ends without alarms.
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
    ///   - delay: below 250 ms it may take as long.
    ///   - body: runs in its own task, unless cancelled.
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
        // Detached: it serves the whole process and ends by itself.
        if starts { Task.detached { await self.watch() } }
        return number
    }

    func callOff(_ number: UInt64) { state.withLock { $0.alarms[number] = nil } }

    private func watch() async {
        while true {
            let now = ContinuousClock.now
            switch state.withLock({ Self.next(&$0, now: now) }) {
            // Never cancelled; an early end only repeats the sleep.
            case .nap(let end): do { try await ContinuousClock().sleep(until: end) } catch {}
            // Separately: one must not block others.
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
