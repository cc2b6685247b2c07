import Platform
internal import UserNotifications

final class InProcessHost: ExtensionHosting {
    private let makeExtension: @Sendable () -> UNNotificationServiceExtension
    private let reused = Guarded<Principal?>(nil)
    private let lateCallCount = Guarded(0)
    private let clock: SimulatedClock

    init(clock: SimulatedClock, makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension) {
        self.clock = clock
        self.makeExtension = makeExtension
    }

    var lateHandlerCallCount: Int { lateCallCount.withLock { $0 } }
    /// Always zero: this process is never suspended.
    var lateLockCount: Int { 0 }

    func run(
        _ request: ExtensionRequest,
        show: @Sendable (ExtensionOutcome) -> ShownNotification
    ) async -> ShownNotification {
        let start = clock.now
        let device = RunningDevice(request.conditions, clock: clock, center: request.center)
        let keeper = TimeKeeper(clock)
        // Not the host: a reused object keeps its last handler, and the host keeps the object.
        let run = ExtensionRun(on: device, clock: clock) { [lateCallCount] in lateCallCount.withLock { $0 += 1 } }
        let outcome = await withTaskGroup { group in
            let didReceive = run.callDidReceive(request) { [self] in principal(request.conditions.process) }
            group.addTask { await run.keep(request.timetable, from: start, since: didReceive) }
            group.addTask { await device.make(request.conditions.changes, from: start) }
            group.addTask { await keeper.run(request.conditions.timekeeping) }
            var outcome = await run.outcome
            group.cancelAll()
            outcome.time = keeper.timeUsed
            return outcome
        }
        // Held since the run's end.
        defer { clock.release() }
        return show(outcome)
    }

    private func principal(_ use: Device.ProcessUse) -> Principal {
        switch use {
        case .fresh: return Principal(object: makeExtension())
        case .reused:
            return reused.withLock { reused in
                let principal = reused ?? Principal(object: makeExtension())
                reused = principal
                return principal
            }
        }
    }
}

/// Unchecked: iOS calls such an object from two threads too; the extension has to be safe for that.
struct Principal: @unchecked Sendable {
    let object: UNNotificationServiceExtension
}
