public import UserNotifications

/// Runs a notification service extension as iOS would, in this process.
///
/// Each delivery makes its extension with the closure given, calls `didReceive` on a thread of its own, waits for the
/// content handler, tells the extension on another thread when its time is over, and then shows the original. Deliveries
/// may run at the same time. What a process of its own would add is not here: an extension that crashes takes the caller
/// with it, and one that never returns keeps its thread after its time.
///
///     let runner = ExtensionRunner { NotificationService() }
///     let shown = try await runner.deliver(payload)
///     #expect(shown.title == "Ada")
public final class ExtensionRunner: Sendable {
    /// What Apple does not document, and reports from the field give as this.
    public struct Limits: Sendable {
        /// From the call of `didReceive` to that of `serviceExtensionTimeWillExpire`.
        public var time: Duration
        /// From there to the extension's end.
        public var grace: Duration

        /// - Parameters:
        ///   - time: About 30 s in practice, Apple's "limited amount of time".
        ///   - grace: Undocumented; "one last chance".
        public init(time: Duration = .seconds(30), grace: Duration = .seconds(5)) {
            self.time = time
            self.grace = grace
        }
    }

    private let limits: Limits
    private let clock: any Clock<Duration>
    private let makeExtension: @Sendable () -> UNNotificationServiceExtension
    private let lateCallCount = Guarded(0)

    /// - Parameters:
    ///   - limits: How long an extension may take.
    ///   - clock: Measures the limits; a `SimulatedClock` makes 30 seconds pass at once.
    ///   - makeExtension: Called once a delivery, on the delivery's thread. A closure that returns the same object each
    ///     time is iOS reusing a process, which it may.
    public init(
        limits: Limits = Limits(),
        clock: any Clock<Duration> = ContinuousClock(),
        makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension
    ) {
        self.limits = limits
        self.clock = clock
        self.makeExtension = makeExtension
    }

    /// How often extensions called their content handler when their delivery was over. iOS ignores such a call where the
    /// process is gone already, and ends the process where the notification was answered before.
    public var lateHandlerCallCount: Int { lateCallCount.withLock { $0 } }

    /// What becomes of a push on this device.
    ///
    /// - Parameter payload: The payload's bytes, as they came from APNs.
    /// - Returns: What the person sees, and why.
    /// - Throws: `SimulatedPushError` for bytes that are not a payload.
    public func deliver(_ payload: some Collection<UInt8> & Sendable) async throws(SimulatedPushError)
        -> ShownNotification
    {
        await deliver(try SimulatedPush(payload: payload))
    }

    /// What becomes of a push on this device.
    ///
    /// A caller that is cancelled stands for a device in a hurry: the extension is told at once that its time is over.
    public func deliver(_ push: SimulatedPush) async -> ShownNotification {
        let original = ShownContent(push.makeContent())
        if let reason = notRunReason(push, showing: original) {
            return ShownNotification(content: original, why: .notRun(reason), handlerCallCount: 0)
        }
        // Not the runner itself: an object that is reused keeps its last handler, and the runner keeps the object.
        let run = ExtensionRun(original: original) { [lateCallCount] in lateCallCount.withLock { $0 += 1 } }
        return await withTaskGroup { group in
            let didReceive = run.start(push, makeExtension: makeExtension)
            group.addTask { [self] in await enforceLimits(on: run, from: didReceive) }
            let shown = await run.shown
            group.cancelAll()
            return shown
        }
    }

    private func notRunReason(
        _ push: SimulatedPush,
        showing original: ShownContent
    ) -> ShownNotification.NotRunReason? {
        if !original.hasAlertText { return .noVisibleAlert }
        return push.isMutable ? nil : .notMutable
    }

    private func enforceLimits(on run: ExtensionRun, from didReceive: ExtensionRun.Call) async {
        await clock.wait(limits.time, since: didReceive)
        let expiry = run.timeLimitReached()
        await clock.wait(limits.grace, since: expiry)
        run.graceOver()
    }
}

extension Clock where Duration == Swift.Duration {
    /// Simulated time must not pass while the extension is still at work, or what an extension does at once would come
    /// too late whenever its thread started late: so nobody sleeps on the clock before the call has returned. A call that
    /// does not return for a second of real time counts as waiting for something.
    fileprivate func wait(_ limit: Duration, since call: ExtensionRun.Call?) async {
        let deadline = now.advanced(by: limit)
        if let call {
            await withTaskGroup { group in
                group.addTask { await call.wait() }
                // Cancelled is over, here and below: the run has finished, or the caller will not wait.
                group.addTask { try? await ContinuousClock().sleep(for: min(limit, .seconds(1))) }
                await group.next()
                group.cancelAll()
            }
        }
        try? await sleep(until: deadline, tolerance: nil)
    }
}
