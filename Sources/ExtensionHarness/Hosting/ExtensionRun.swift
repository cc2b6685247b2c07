import Platform
internal import UserNotifications

/// Performs the actions of one `Delivery`: threads for the calls into the extension, a continuation for the result.
final class ExtensionRun: Sendable {
    private struct State {
        var delivery = Delivery()
        var principal: Principal?
        var outcome: ExtensionOutcome?
        var waiter: CheckedContinuation<ExtensionOutcome, Never>?
    }

    private let state = Guarded(State())
    private let device: RunningDevice
    private let clock: SimulatedClock
    private let onLateCall: @Sendable () -> Void

    init(on device: RunningDevice, clock: SimulatedClock, onLateCall: @escaping @Sendable () -> Void) {
        self.device = device
        self.clock = clock
        self.onLateCall = onLateCall
    }

    /// Calls `didReceive` on a new thread, and holds time until it has returned.
    func callDidReceive(_ request: ExtensionRequest, makePrincipal: @escaping @Sendable () -> Principal) -> ClockPause {
        call(named: "didReceive") { [self] in
            let principal = makePrincipal()
            state.withLock { if $0.outcome == nil { $0.principal = principal } }
            principal.object.didReceive(request.push.makeRequest(request.alertText)) { [self] content in
                // Copied on the extension's thread: it may change its object later.
                handle(.answered(ShownContent(content)))
            }
        }
    }

    /// Makes the expiry calls and ends the run at their times, both at once if the task is cancelled.
    func keep(_ timetable: Timetable, from start: SimulatedClock.Instant, since didReceive: ClockPause) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await didReceive.end(after: PassageOfTime.workTimeMax) }
            for expiry in timetable.expiries {
                try? await clock.sleep(until: start.advanced(by: expiry), isSystem: true)
                if let call = callTimeWillExpire() {
                    group.addTask { await call.end(after: PassageOfTime.workTimeMax) }
                }
            }
            try? await clock.sleep(until: start.advanced(by: timetable.end), isSystem: true)
            handle(.graceOver)
        }
    }

    /// Calls `serviceExtensionTimeWillExpire` on a new thread, unless answered.
    private func callTimeWillExpire() -> ClockPause? {
        guard state.withLock({ $0.delivery.handle(.timeLimitReached) }) == .callExpiry else { return nil }
        return call(named: "timeWillExpire") { [self] in
            // Its initializer may still be running; iOS has nothing to call then either.
            state.withLock { $0.principal }?.object.serviceExtensionTimeWillExpire()
        }
    }

    /// Waits for the result, and holds the clock; the caller has to release it.
    var outcome: ExtensionOutcome {
        get async {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiter = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        }
    }

    private func handle(_ event: Delivery.Event) {
        switch state.withLock({ $0.delivery.handle(event) }) {
        case .finish(let outcome): finish(outcome)
        case .reportLateCall: onLateCall()
        case .none, .callExpiry: break
        }
    }

    private func finish(_ outcome: ExtensionOutcome) {
        // Until the result is shown: else the screen could be empty for a whole second.
        clock.hold()
        let waiter = state.withLock { state in
            state.outcome = outcome
            // Breaks a cycle: the object usually keeps the handler, which keeps this run.
            state.principal = nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
    }

    private func call(named name: String, _ body: @escaping @Sendable () -> Void) -> ClockPause {
        let hold = ClockPause(clock)
        let thread = Thread { [self] in
            device.run(body)
            handle(.callReturned)
            hold.end()
        }
        thread.name = name
        thread.start()
        return hold
    }
}
