import APNS
package import APNSProvider
import Envelope
import Platform
package import PushStore
import Transport

/// Brings what the outbox holds to APNs, and what APNs answers back into it.
///
/// It lives on the service's loop, as the clients do. The store's calls are waited for in tasks that prefer the loop,
/// so that everything here is touched by one thread; what is decided is decided by values (`DispatchFlow`,
/// `DispatchRules`, `SuspensionBook`).
///
/// Unchecked: every way in checks that it is the loop's thread, or goes there first.
package final class Dispatcher: DispatchDoor, @unchecked Sendable {
    /// One that was taken and has no outcome on the disk. An object: it is large, and looked at at every step.
    final class Pending {
        var lease: Lease
        /// Large: what is asked of it is asked here, and it is not copied for that.
        let entry: OutboxEntry
        let payload: [UInt8]
        let destination: PushDestination
        let bundleID: String
        /// nil where there is no such device.
        let device: Device?
        /// Which client has to have room; nil: it will not be pushed.
        let client: Int?
        /// The disk says that it is on its way.
        var isMarked: Bool
        var attemptTime = Timestamp(milliseconds: 0)
        var startedAt: Int64 = 0
        var outcome: PushStore.Outcome?

        init(
            leased: LeasedEntry,
            destination: PushDestination,
            bundleID: String,
            device: Device?,
            client: Int? = nil,
            isMarked: Bool = false
        ) {
            lease = leased.lease
            entry = leased.entry
            payload = leased.payload
            self.destination = destination
            self.bundleID = bundleID
            self.device = device
            self.client = client
            self.isMarked = isMarked
        }

        func target(lane: Int) -> SuspensionBook.Target {
            SuspensionBook.Target(
                lane: lane,
                bundleID: bundleID,
                tenant: entry.tenant,
                isReached: device?.isReached ?? false
            )
        }

        var key: DeviceKey { DeviceKey(tenant: entry.tenant, device: entry.device) }
        var lane: Lane { entry.lane }
    }

    /// Its lease ends by itself after this, where the dispatcher is forgotten by its process.
    static let leaseSeconds: Int64 = 300

    let context: ServiceContext
    let lanes: PushLanes
    private(set) var rules: DispatchRules
    let bells: DispatchBells
    /// 0 ..< 1, for the waits between attempts.
    let jitter: @Sendable () -> Double
    /// What became of a day's notifications, by app and region. On the loop.
    package let ledger: DeliveryLedger
    var flow: DispatchFlow
    var pendings: [DispatchFlow.Ticket: Pending] = [:]
    var suspensions = SuspensionBook()
    var quarantine = TokenQuarantine()
    var deviceEffects = DeviceEffects()
    var reached = ReachedTokens()
    var releases = ReleaseQueue()
    /// Lines of this turn: each call of the log wakes its thread.
    var logLines: [UInt8] = []
    /// Of each lane.
    var queued: [QueuedDevices]
    var upkeep = UpkeepTimes()
    private var lastTicket = 0
    /// Calls of the store that have not returned.
    var callsUnderWay = 0
    private var isTurnPlanned = false
    private(set) var isRunning = false
    /// The process is about to end: answers come too late.
    private(set) var isOver = false
    private var wakeTimer: LoopTimer?
    private var upkeepTimer: LoopTimer?
    private var onDrained: (() -> Void)?

    /// - Parameters:
    ///   - context: what the service has in common.
    ///   - bells: who is told when there is something to tell.
    ///   - jitter: chance for the waits between attempts.
    ///   - configure: changes the clients' configuration, for tests.
    package init(
        _ context: ServiceContext,
        bells: DispatchBells = DispatchBells(),
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        configure: (inout APNSClientConfiguration) -> Void = { _ in }
    ) {
        let limits = context.settings.limits
        self.context = context
        self.bells = bells
        self.jitter = jitter
        rules = DispatchRules(RetryDelay(serverErrorWaitSeconds: limits.serverErrorWaitSeconds))
        flow = DispatchFlow(inFlightMax: limits.inFlightCountMax, bucket: DeviceBucket(limits))
        flow.adopt(limits, isShared: context.settings.configuration.tenants.count > 1)
        lanes = PushLanes(loop: context.loop, now: context.clock.now, configure: configure)
        ledger = DeliveryLedger(context)
        queued = Lane.allCases.map { _ in QueuedDevices(unknownUntil: context.clock.now()) }
        lanes.onRoom.notify = { [weak self] in self?.plan() }
    }

    // MARK: From outside

    /// Begins to send.
    ///
    /// - Parameter plan: the credentials.
    /// - Throws: what kept a client from being made.
    package func start(_ plan: LanePlan) async throws(ProviderError) {
        try await onLoop { dispatcher async throws(ProviderError) in
            try await dispatcher.lanes.adopt(plan)
            await dispatcher.ledger.restore()
            dispatcher.isRunning = true
            dispatcher.releaseEverything()
            dispatcher.doUpkeep()
            dispatcher.plan()
        }
    }

    /// Takes up the limits of the settings, and other credentials. What was suspended is tried again, whether its files
    /// are other ones or not: what was wrong may have been mended at Apple's.
    ///
    /// - Parameter plan: the credentials.
    /// - Throws: what kept a client from being made; then the old ones stay.
    package func reload(_ plan: LanePlan) async throws(ProviderError) {
        try await onLoop { dispatcher async throws(ProviderError) in
            try await dispatcher.lanes.adopt(plan)
            let settings = dispatcher.context.settings
            let limits = settings.limits
            dispatcher.rules = DispatchRules(RetryDelay(serverErrorWaitSeconds: limits.serverErrorWaitSeconds))
            dispatcher.flow.adopt(limits, isShared: settings.configuration.tenants.count > 1)
            await dispatcher.lanes.resume()
            dispatcher.suspensions.clear()
            dispatcher.quarantine = TokenQuarantine()
            dispatcher.showSuspensions()
            dispatcher.releaseEverything()
            dispatcher.plan()
        }
    }

    /// On the loop.
    package func ring(_ lanes: Set<Lane>) {
        context.loop.checkIsolated()
        flow.ring(lanes)
        plan()
    }

    /// On the loop.
    package func didReceive(_ entries: [OutboxEntry]) {
        context.loop.checkIsolated()
        bells.hooks()
        let keys = entries.map { DeviceKey(tenant: $0.tenant, device: $0.device) }
        call { dispatcher in
            // Without its region a receipt counts as anybody's.
            let lookups = (try? await dispatcher.context.store.devices(keys)) ?? []
            for (index, entry) in entries.enumerated() {
                var region: String?
                if index < lookups.count, case .found(let device) = lookups[index] {
                    region = device.region
                }
                dispatcher.ledger.add(\.received, app: PushDestination.bundleID(of: entry), region: region)
            }
        }
    }

    /// On the loop.
    package func didReport() {
        context.loop.checkIsolated()
        bells.hooks()
    }

    /// Takes nothing more, gives back what was not written to APNs, and waits for what was. What has no answer by then stays
    /// `sending`, which the next start finds: it sends again what has a collapse id, with the same apns-id.
    ///
    /// - Parameter limit: how long at most.
    package func drain(within limit: Duration) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            context.loop.perform { [self] in
                flow.drain()
                isRunning = true
                for entry in lanes.entries.values { entry.client.giveBack() }
                markReached()
                let timer = context.loop.schedule(after: limit) { [self] in endDrain() }
                onDrained = {
                    timer.cancel()
                    continuation.resume()
                }
                plan()
            }
        }
        await onLoop { dispatcher in
            await dispatcher.ledger.save()
            await dispatcher.lanes.close(gracefully: false)
        }
    }

    private func writeLog() {
        guard !logLines.isEmpty else { return }
        context.log.write(logLines)
        logLines.removeAll(keepingCapacity: logLines.count <= 1 << 16)
    }

    private func endDrain() {
        writeLog()
        isOver = true
        wakeTimer?.cancel()
        upkeepTimer?.cancel()
        onDrained?()
        onDrained = nil
    }

    /// Runs `body` where everything here lives. A task, because it waits for the store; it ends with its caller's wait.
    private func onLoop<E: Error>(_ body: @escaping @Sendable (Dispatcher) async throws(E) -> Void) async throws(E) {
        let result = await Task(executorPreference: context.loop) { () -> Result<Void, E> in
            do throws(E) {
                return .success(try await body(self))
            } catch {
                return .failure(error)
            }
        }.value
        try result.get()
    }

    // MARK: The loop's turns

    /// What came in this turn of the loop is done at its end, together.
    func plan() {
        context.loop.checkIsolated()
        guard isRunning, !isTurnPlanned, !isOver else { return }
        isTurnPlanned = true
        context.loop.atTurnEnd(self)
    }

    func newTicket() -> DispatchFlow.Ticket { newTickets(1).lowerBound }

    func newTickets(_ count: Int) -> Range<DispatchFlow.Ticket> {
        lastTicket += count
        return lastTicket - count + 1..<lastTicket + 1
    }

    private func perform(_ effect: DispatchFlow.Effect) {
        switch effect {
        case .take(let lane, let limit, let retryLimit): take(from: lane, limit: limit, retryLimit: retryLimit)
        case .mark(let batch): mark(batch)
        case .finish(let batch): finish(batch)
        case .giveBack(let tickets):
            let given = tickets.compactMap { pendings.removeValue(forKey: $0) }
            didLosePlace(given)
            let leases = given.map(\.lease)
            call { dispatcher in await dispatcher.context.store.giveBack(leases) }
        }
    }

    /// A call of the store. The task prefers the loop, so that what follows the call runs there; `drain` waits for it.
    func call(_ body: @escaping @Sendable (Dispatcher) async -> Void) {
        callsUnderWay += 1
        Task(executorPreference: context.loop) { [self] in
            await body(self)
            callsUnderWay -= 1
            plan()
        }
    }

    /// A call of the store that every notification passes: with a callback instead of a task. What follows it runs on the
    /// loop, and `drain` waits for it as for the others.
    func called<Value: Sendable>(
        _ call: (@escaping StoreCompletion<Value>) -> Void,
        then body: @escaping @Sendable (Dispatcher, Result<Value, StoreError>) -> Void
    ) {
        callsUnderWay += 1
        call { [self] result in
            context.loop.perform { [self] in
                body(self, result)
                callsUnderWay -= 1
                plan()
            }
        }
    }

    private func planWake(_ now: Int64) {
        wakeTimer?.cancel()
        guard let time = flow.wakesAt(now: now) else { return }
        wakeTimer = context.loop.schedule(after: .nanoseconds(max(1_000_000, time - now))) { [self] in plan() }
    }

    /// Once a second, for all that may be late.
    private func doUpkeep() {
        guard !isOver else { return }
        upkeepTimer = context.loop.schedule(after: .seconds(1)) { [self] in doUpkeep() }
        keepUp()
    }
}

extension Dispatcher: TurnEndHandler {
    package func handleTurnEnd() {
        isTurnPlanned = false
        writeLog()
        guard !isOver else { return }
        let now = context.clock.uptime()
        readRooms()
        while let effect = flow.next(now: now) { perform(effect) }
        wantRooms()
        doDeviceEffects()
        releaseNext()
        planWake(now)
        if onDrained != nil, flow.isDraining, flow.isIdle, callsUnderWay == 0, deviceEffects.isEmpty { endDrain() }
    }
}
