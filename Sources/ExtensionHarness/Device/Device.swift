import Platform
public import UserNotifications

/// A phone that takes pushes, runs your notification service extension on each as iOS would, and says what it shows.
///
///     let device = Device { NotificationService() }
///     device.conditions.lock = .beforeFirstUnlock
///     let shown = try await device.deliver(payload)
///     #expect(shown.title == "Ada")
///
/// The extension runs in this process: one that crashes takes the caller with it, one that never returns keeps its
/// thread, and no memory limit is enforced. Deliveries may run at the same time.
public final class Device: Sendable {
    /// What code on the device waits on, and what the extension's limits are measured with.
    public let clock: SimulatedClock

    private let host: any ExtensionHosting
    private let state: Guarded<Conditions>
    private let listed: Screen
    private let store = AttachmentStore()

    /// - Parameters:
    ///   - conditions: What the device is like at first.
    ///   - clock: A test's own, where it has to share one with its fetcher or makes time pass by hand.
    ///   - makeExtension: Makes the extension's principal object, on the thread that will call it: once for each delivery,
    ///     or once in all where the conditions say that iOS reuses the process.
    public convenience init(
        _ conditions: Conditions = Conditions(),
        clock: SimulatedClock = SimulatedClock(),
        makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension
    ) {
        self.init(conditions, clock: clock, host: InProcessHost(clock: clock, makeExtension: makeExtension))
    }

    init(_ conditions: Conditions, clock: SimulatedClock = SimulatedClock(), host: any ExtensionHosting) {
        self.clock = clock
        self.host = host
        state = Guarded(conditions)
        listed = Screen(state)
    }

    deinit { clock.cancelSleepers(on: ObjectIdentifier(listed)) }

    /// What the device is like. A change holds from the next delivery on.
    public var conditions: Conditions {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The notifications that the screen lists now, the newest first.
    public var screen: [ShownNotification] { listed.notifications }

    /// The person takes a notification off the screen.
    ///
    /// - Parameter identifier: What `shown.identifier` says; nothing happens where none has it.
    public func dismiss(_ identifier: String) { listed.removeDeliveredNotifications(withIdentifiers: [identifier]) }

    /// The number on the app's icon; 0 shows none.
    public var badge: Int { listed.badge }

    /// How often extensions called their content handler when their delivery was over. iOS ignores such a call where the
    /// process is gone already, and ends the process where the notification was answered before.
    public var lateHandlerCallCount: Int { host.lateHandlerCallCount }

    /// How often an extension's process held a lock on a shared file when it was suspended after an expiring activity: iOS ends
    /// it then (`0xdead10cc`), as it does right after an answer, which `ShownNotification.ending` says. Only where the
    /// extension has a process of its own.
    public var lateLockCount: Int { host.lateLockCount }

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
    /// - Parameter json: The payload as text: `{"aps":{"alert":"Hello","mutable-content":1}}`, say.
    /// - Returns: What the person sees, and why.
    /// - Throws: `SimulatedPushError` for a text that is not a payload.
    public func deliver(_ json: String) async throws(SimulatedPushError) -> ShownNotification {
        await deliver(try SimulatedPush(payload: json.utf8))
    }

    /// What becomes of a push on this device.
    ///
    /// A caller that is cancelled stands for a device in a hurry: the extension is told at once that its time is over.
    public func deliver(_ push: SimulatedPush) async -> ShownNotification {
        let conditions = conditions
        switch conditions.repetition {
        case .once:
            return await deliver(push, on: conditions)
        case .twice:
            let first = await deliver(push, on: conditions)
            return await deliver(push, on: conditions).following([first])
        case .twiceAtOnce:
            async let first = deliver(push, on: conditions)
            async let second = deliver(push, on: conditions)
            return await second.following([await first])
        }
    }

    /// What becomes of several pushes that arrive at the same time.
    ///
    /// - Parameter pushes: In any order.
    /// - Returns: What the person sees of each, in the same order.
    public func deliver(atOnce pushes: [SimulatedPush]) async -> [ShownNotification] {
        await withTaskGroup { group in
            for (index, push) in pushes.enumerated() { group.addTask { [self] in (index, await deliver(push)) } }
            var shown: [Int: ShownNotification] = [:]
            for await (index, notification) in group { shown[index] = notification }
            return pushes.indices.compactMap { shown[$0] }
        }
    }

    /// One run: what the push says, the extension where it runs, the system's rules on its answer, the screen.
    private func deliver(_ push: SimulatedPush, on conditions: Conditions) async -> ShownNotification {
        let translation = AlertTranslation(appBundle: conditions.appBundle, languages: conditions.languages)
        let alertText = push.alertText(translation)
        let arrival = ShownNotification.Arrival(
            push: push,
            original: ShownContent(push.makeContent(alertText)),
            date: conditions.date ?? Date(),
            conditions: conditions
        )
        if let reason = RunRule.notRunReason(push, showing: arrival.original, on: conditions) {
            let shown = ShownNotification(arrival, notRun: reason)
            listed.add(shown)
            return shown
        }
        let request = ExtensionRequest(push: push, alertText: alertText, conditions: conditions, center: listed)
        return await host.run(request) { [self] outcome in
            let shown = accept(outcome, of: arrival)
            listed.add(shown)
            return shown
        }
    }

    private func accept(_ outcome: ExtensionOutcome, of arrival: ShownNotification.Arrival) -> ShownNotification {
        var outcome = outcome
        var problem: AttachmentProblem?
        if let attachments = outcome.answer?.attachments, !attachments.isEmpty {
            let (taken, firstProblem) = store.take(attachments, appBundle: arrival.conditions.appBundle)
            outcome.answer?.attachments = taken
            problem = firstProblem
        }
        let (content, why) = AnswerRule.choice(
            original: arrival.original,
            outcome,
            attachmentProblem: problem,
            on: arrival.conditions
        )
        return ShownNotification(arrival, showing: content, why, after: outcome)
    }
}
