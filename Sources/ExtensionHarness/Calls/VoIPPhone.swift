internal import CallKit
import Platform
internal import PushKit
public import UserNotifications

/// A phone that takes VoIP pushes as iOS does: it calls the delegate of the app's registry on the registry's queue, and
/// ends the app unless that has reported a call to CallKit on return. No service extension runs.
///
///     let phone = VoIPPhone { MyCalls() }
///     let delivery = try await phone.deliver(payload)
///     #expect(delivery.call?.name == "Ada")
///
/// The app runs in this process; its objects are made on the main queue. Pushes are handled one by one.
public final class VoIPPhone: Sendable {
    /// Clock of the phone's code and the app's time limit.
    public let clock: SimulatedClock
    /// Time after a push within which a call must be reported.
    public let reportLimit: Duration

    private let launch: @Sendable () -> AnyObject
    private let state: Guarded<Device.Conditions>
    private let center: CallCenter
    private let app = Guarded<RunningApp?>(nil)
    private let last = Guarded<Task<VoIPDelivery, Never>?>(nil)

    /// Creates a phone.
    ///
    /// - Parameters:
    ///   - conditions: those for extensions have no effect.
    ///   - reportLimit: about 7 s, by a post of Apple's in https://developer.apple.com/forums/thread/817976.
    ///   - clock: test's own, advanced by hand.
    ///   - launch: makes the app's object with the registry, for the first push and the first after iOS has ended the
    ///     app.
    public init(
        _ conditions: Device.Conditions = Device.Conditions(),
        reportLimit: Duration = .seconds(7),
        clock: SimulatedClock = SimulatedClock(),
        launch: @escaping @Sendable () -> AnyObject
    ) {
        self.clock = clock
        self.reportLimit = reportLimit
        self.launch = launch
        state = Guarded(conditions)
        center = CallCenter(screen: Screen(state, store: AttachmentStore(), clock: clock))
    }

    deinit {
        // A provider keeps the center, which keeps the providers of its calls.
        center.forgetApp()
        clock.cancelSleepers(on: ObjectIdentifier(center))
    }

    /// Phone's state. A change takes effect with the next push.
    public var conditions: Device.Conditions {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Token that PushKit gives the app.
    public var token: Data { center.voIPToken }

    /// Calls that ring or were answered, oldest first.
    public var calls: [ReportedCall] { center.calls }

    /// Answers a call for the person, through the delegate of the app's provider.
    ///
    /// - Parameter id: ringing call, or nothing happens.
    public func answer(_ id: UUID) {
        perform(center.personChanges(id, to: .answered)) { $1.provider($0, perform: CXAnswerCallAction(call: id)) }
    }

    /// Declines or ends a call for the person, as `answer` does.
    ///
    /// - Parameter id: call that is not over, or nothing happens.
    public func hangUp(_ id: UUID) {
        perform(center.personChanges(id, to: .hungUp)) { $1.provider($0, perform: CXEndCallAction(call: id)) }
    }

    /// Delivers a VoIP push.
    ///
    /// - Parameter payload: as from APNs, 5,120 bytes at most.
    /// - Throws: `SimulatedPushError` for bytes that are no payload.
    public func deliver(_ payload: some Collection<UInt8> & Sendable) async throws(SimulatedPushError) -> VoIPDelivery {
        let members = try SimulatedPush.members(of: payload, byteCountMax: SimulatedPush.voIPPayloadByteCountMax)
        return await last.withLock { last in
            let before = last
            // The caller and the next push both wait for this task.
            let task = Task {
                _ = await before?.value
                return await deliver(members, on: conditions)
            }
            last = task
            return task
        }
        .value
    }

    /// Delivers a VoIP push from JSON text, such as `{"aps":{}}`.
    ///
    /// - Throws: `SimulatedPushError` for a text that is no payload.
    public func deliver(_ json: String) async throws(SimulatedPushError) -> VoIPDelivery {
        try await deliver(Array(json.utf8))
    }

    private func deliver(_ members: [String: UserInfoValue], on conditions: Device.Conditions) async -> VoIPDelivery {
        let start = clock.now
        let device = RunningDevice(conditions, clock: clock, center: center)
        let handling = CallHandling()
        center.setReportHandler { handling.report($0) }
        let hold = ClockPause(clock)
        DispatchQueue.main.async { [self] in
            device.run { wakeApp() }
            guard let registry = center.registry, let queue = registry.object?.queue else {
                handling.handle(.notRegistered)
                return hold.end()
            }
            queue.async {
                device.run { Self.call(registry, members, handling) }
                handling.handle(.returned)
                hold.end()
            }
        }
        let keeper = TimeKeeper(clock)
        let (why, reported, isCompleted) = await withTaskGroup { group in
            group.addTask { await hold.end(after: PassageOfTime.workTimeMax) }
            group.addTask { await device.make(conditions.changes, from: start) }
            group.addTask { await keeper.run(conditions.timekeeping) }
            group.addTask { [clock, reportLimit] in
                // If cancelled, the run has ended, and the event has no effect.
                try? await clock.sleep(until: start.advanced(by: reportLimit), isSystem: true)
                handling.handle(.timeOver)
            }
            let end = await handling.end
            group.cancelAll()
            return end
        }
        center.setReportHandler(nil)
        let delivery = VoIPDelivery(why: why, calls: center.calls(reported), isCompleted: isCompleted)
        if case .terminated = why { endApp() }
        return delivery
    }

    private func wakeApp() {
        guard app.withLock({ $0 == nil }) else { return }
        let running = RunningApp(object: launch())
        app.withLock { $0 = running }
    }

    private func endApp() {
        center.forgetApp()
        app.withLock { $0 = nil }
    }

    private static func call(
        _ registry: RegistryReference,
        _ members: [String: UserInfoValue],
        _ handling: CallHandling
    ) {
        // A registry that lost its delegate reports nothing, as on iOS.
        guard let registry = registry.object, let delegate = registry.delegate else { return }
        let payload = PKPushPayload(type: .voIP, dictionaryPayload: members.mapValues(\.foundationValue))
        delegate.pushRegistry(registry, didReceiveIncomingPushWith: payload, for: .voIP) {
            handling.handle(.completed)
        }
    }

    private func perform(
        _ provider: ProviderReference?,
        _ action: @escaping @Sendable (CXProvider, any CXProviderDelegate) -> Void
    ) {
        guard let provider else { return }
        let device = RunningDevice(conditions, clock: clock, center: center)
        provider.object.queue.async {
            device.run {
                if let delegate = provider.object.delegate { action(provider.object, delegate) }
            }
        }
    }
}

/// Unchecked: the object is kept and never used.
private struct RunningApp: @unchecked Sendable {
    let object: AnyObject
}

/// Owns one `VoIPRun` and the calls reported during it.
private final class CallHandling: Sendable {
    typealias End = (why: VoIPDelivery.Why, reported: [ReportedCall], isCompleted: Bool)

    private struct State {
        var run = VoIPRun()
        var reported: [ReportedCall] = []
        var waiter: CheckedContinuation<End, Never>?

        var end: End? { run.end.map { ($0, reported, run.isCompleted) } }
    }

    private let state = Guarded(State())

    func report(_ call: ReportedCall) {
        state.withLock { $0.reported.append(call) }
        handle(.reported)
    }

    func handle(_ event: VoIPRun.Event) {
        let (waiter, end) = state.withLock { state in
            guard state.run.handle(event) else { return (CheckedContinuation<End, Never>?.none, End?.none) }
            defer { state.waiter = nil }
            return (state.waiter, state.end)
        }
        if let end { waiter?.resume(returning: end) }
    }

    var end: End {
        get async {
            await withCheckedContinuation { continuation in
                let end = state.withLock { state in
                    if state.end == nil { state.waiter = continuation }
                    return state.end
                }
                if let end { continuation.resume(returning: end) }
            }
        }
    }
}
