import Platform
public import UserNotifications

/// A phone that takes pushes, runs your service extension on each as iOS would, and reports what it shows.
///
///     let device = Device { NotificationService() }
///     device.conditions.lock = .beforeFirstUnlock
///     let shown = try await device.deliver(payload)
///     #expect(shown.title == "Ada")
///
/// The extension runs in this process: a crash takes the caller with it, a hang keeps its thread, no memory limit is
/// enforced. Deliveries may overlap.
public final class Device: Sendable {
    /// Clock for code on the device and for the extension's limits.
    public let clock: SimulatedClock

    private let host: any ExtensionHosting
    private let state: Guarded<Conditions>
    let listed: Screen
    private let store: AttachmentStore

    /// Creates a device that runs the extension in this process.
    ///
    /// - Parameters:
    ///   - conditions: at first; changeable later.
    ///   - clock: test's own, shared with its fetcher or advanced by hand.
    ///   - makeExtension: makes the principal object on the thread that will call it, for each delivery, or once if iOS
    ///     reuses the process.
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
        store = AttachmentStore()
        listed = Screen(state, store: store, clock: clock)
    }

    deinit {
        clock.cancelSleepers(on: ObjectIdentifier(listed))
        // Its screen may live longer, in work that has no end.
        store.delete()
    }

    /// Device's state. A change takes effect with the next delivery.
    public var conditions: Conditions {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Notifications that the screen lists, newest first.
    public var screen: [ShownNotification] { listed.notifications }

    /// Removes a notification from the screen for the person; an unknown identifier does nothing.
    public func dismiss(_ identifier: String) { listed.removeDeliveredNotifications(withIdentifiers: [identifier]) }

    /// Number on the app's icon; 0 shows none.
    public var badge: Int { listed.badge }

    /// Content handler calls after their delivery was over. iOS ignores such a call if the process is gone, and ends a
    /// process that had already answered.
    public var lateHandlerCallCount: Int { host.lateHandlerCallCount }

    /// Times that an extension's process was suspended after an expiring activity with a lock on a shared file. iOS
    /// then ends the process (`0xdead10cc`), as after an answer, where `ShownNotification.ending` reports it. Only for
    /// an extension in its own process.
    public var lateLockCount: Int { host.lateLockCount }

    /// Delivers a push.
    ///
    /// - Parameter payload: as from APNs.
    /// - Throws: `SimulatedPushError` for bytes that are no payload.
    public func deliver(_ payload: some Collection<UInt8> & Sendable) async throws(SimulatedPushError)
        -> ShownNotification
    {
        await deliver(try SimulatedPush(payload: payload))
    }

    /// Delivers a push from JSON text, such as `{"aps":{"alert":"Hello","mutable-content":1}}`.
    ///
    /// - Throws: `SimulatedPushError` for a text that is no payload.
    public func deliver(_ json: String) async throws(SimulatedPushError) -> ShownNotification {
        await deliver(try SimulatedPush(payload: json.utf8))
    }

    /// Delivers a push. Cancelling the caller calls the extension's expiry at once, as a device short of time does.
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

    /// Delivers several pushes at the same time.
    ///
    /// - Returns: Notifications in the same order.
    public func deliver(atOnce pushes: [SimulatedPush]) async -> [ShownNotification] {
        await withTaskGroup { group in
            for (index, push) in pushes.enumerated() { group.addTask { [self] in (index, await deliver(push)) } }
            var shown: [Int: ShownNotification] = [:]
            for await (index, notification) in group { shown[index] = notification }
            return pushes.indices.compactMap { shown[$0] }
        }
    }

    private func deliver(_ push: SimulatedPush, on conditions: Conditions) async -> ShownNotification {
        let translation = AlertTranslation(appBundle: conditions.appBundle, languages: conditions.languages)
        let alertText = push.alertText(translation)
        let arrival = ShownNotification.Arrival(
            identifier: push.identifier,
            original: ShownContent(push.makeContent(alertText)),
            date: conditions.date ?? Date(),
            conditions: conditions
        )
        if let reason = RunRule.notRunReason(push, showing: arrival.original, on: conditions) {
            let shown = ShownNotification(arrival, notRun: reason)
            listed.add(shown)
            return shown
        }
        let request = ExtensionRequest(
            push: push,
            alertText: alertText,
            conditions: conditions,
            center: listed,
            clock: clock
        )
        return await host.run(request) { [self] outcome in
            let shown = accept(outcome, of: arrival)
            listed.add(shown)
            return shown
        }
    }

    private func accept(_ outcome: ExtensionOutcome, of arrival: ShownNotification.Arrival) -> ShownNotification {
        var outcome = outcome
        if !arrival.conditions.entitlements.contains(.communication) { outcome.answer?.communication = nil }
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
