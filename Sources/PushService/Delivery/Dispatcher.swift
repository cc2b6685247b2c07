import APNS
package import APNSProvider
import Envelope
import Networking
import Platform
package import PushStore
import ServiceParts

/// Sends the outbox's entries to APNs and writes the results back.
///
/// Lives on the service's loop, preferred by tasks that await the store. Values decide (`DispatchFlow`,
/// `DispatchRules`, `SuspensionTable`).
///
/// Unchecked Sendable: only the loop's thread touches its state. Entry points check that or move there; the loop calls
/// `handleTurnEnd`.
package final class Dispatcher: DispatchInterface, @unchecked Sendable {
    /// Taken entry without a result on disk. An object: large, and read often.
    final class Pending {
        var lease: Lease
        /// Large: read in place.
        let entry: OutboxEntry
        let payload: [UInt8]
        let destination: PushDestination
        let bundleID: BundleID
        /// `bundleID` as text, which counts and the log take several times.
        let app: String
        /// nil if unknown.
        let device: Device?
        /// nil if it will not be pushed.
        let client: Int?
        /// True if it is `sending` on disk.
        var isMarked: Bool
        var attemptTime = Timestamp(milliseconds: 0)
        var startedAt: Int64 = 0
        var outcome: PushStore.Outcome?
        /// `SuspensionTable.liftCount` at its parking; nil: not parked.
        var liftCount: Int?

        init(
            leased: LeasedEntry,
            destination: PushDestination,
            bundleID: BundleID,
            device: Device?,
            client: Int? = nil,
            isMarked: Bool = false
        ) {
            lease = leased.lease
            entry = leased.entry
            payload = leased.payload
            self.destination = destination
            self.bundleID = bundleID
            app = bundleID.text
            self.device = device
            self.client = client
            self.isMarked = isMarked
        }

        func target(lane: Int) -> SuspensionTable.Target {
            SuspensionTable.Target(
                lane: lane,
                bundleID: bundleID,
                tenant: entry.tenant,
                isReached: device?.isReached ?? false
            )
        }

        var key: DeviceKey { DeviceKey(tenant: entry.tenant, device: entry.device) }
        var lane: Lane { entry.lane }
    }

    static let leaseSeconds: Int64 = 300

    let context: ServiceContext
    let lanes: PushCredentials
    private(set) var rules: DispatchRules
    let wakers: DispatchWakers
    /// 0 ..< 1, for the waits between attempts.
    let jitter: @Sendable () -> Double
    package let ledger: DeliveryLedger
    var flow: DispatchFlow
    var pendings: [DispatchFlow.Ticket: Pending] = [:]
    var suspensions = SuspensionTable()
    var quarantine = TokenQuarantine()
    var deviceEffects = DeviceEffects()
    var reached = ReachedTokens()
    var releases = ReleaseQueue()
    /// A turn's lines: each write wakes the log's thread.
    var logLines: [UInt8] = []
    var queued: [QueuedDevices]
    var upkeep = UpkeepTimes()
    private var relayCount = 1
    private var lastTicket = 0
    var callsUnderWay = 0
    private var isTurnPlanned = false
    private(set) var isRunning = false
    /// True when answers come too late.
    private(set) var isOver = false
    private var wakeTimer: LoopTimer?
    private var upkeepTimer: LoopTimer?
    private var onDrained: (() -> Void)?

    /// - Parameter configure: the clients, for tests.
    package init(
        _ context: ServiceContext,
        wakers: DispatchWakers = DispatchWakers(),
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        configure: (inout APNSClientConfiguration) -> Void = { _ in }
    ) {
        let limits = context.settings.limits
        self.context = context
        self.wakers = wakers
        self.jitter = jitter
        rules = DispatchRules(RetryDelay(serverErrorWaitSeconds: limits.serverErrorWaitSeconds))
        flow = DispatchFlow(inFlightMax: limits.inFlightCountMax, bucket: DeviceBucket(limits))
        flow.adopt(limits, isShared: context.settings.configuration.tenants.count > 1)
        lanes = PushCredentials(loop: context.loop, now: context.clock.now, configure: configure)
        ledger = DeliveryLedger(context)
        queued = Lane.allCases.map { _ in QueuedDevices(unknownUntil: context.clock.now()) }
        lanes.onRoom.notify = { [weak self] in self?.plan() }
    }

    // MARK: Interface

    /// - Throws: if a client cannot be made.
    package func start(_ plan: CredentialPlan) async throws(ProviderError) {
        try await onLoop { dispatcher async throws(ProviderError) in
            try await dispatcher.lanes.adopt(plan)
            await dispatcher.ledger.restore()
            dispatcher.isRunning = true
            dispatcher.listen()
            dispatcher.releaseEverything()
            dispatcher.doUpkeep()
            dispatcher.plan()
        }
    }

    /// Adopts limits and credentials. Retries even unchanged suspended credentials: the cause may be mended at Apple.
    ///
    /// - Throws: if a client cannot be made; the old ones stay.
    package func reload(_ plan: CredentialPlan) async throws(ProviderError) {
        try await onLoop { dispatcher async throws(ProviderError) in
            try await dispatcher.lanes.adopt(plan)
            let settings = dispatcher.context.settings
            let limits = settings.limits
            dispatcher.rules = DispatchRules(RetryDelay(serverErrorWaitSeconds: limits.serverErrorWaitSeconds))
            dispatcher.flow.adopt(limits, isShared: settings.configuration.tenants.count > 1)
            dispatcher.shareConnections(among: dispatcher.relayCount)
            await dispatcher.lanes.resume()
            dispatcher.suspensions.clear()
            dispatcher.quarantine = TokenQuarantine()
            dispatcher.showSuspensions()
            dispatcher.releaseEverything()
            dispatcher.plan()
        }
    }

    /// Takes this relay's share of the connections to Apple, at least one of each credential. On the loop.
    package func shareConnections(among relayCount: Int) {
        self.relayCount = relayCount
        lanes.limitConnections(to: max(1, context.settings.limits.connectionCountToApple / relayCount))
    }

    /// On the loop.
    package func wake(_ lanes: Set<Lane>) {
        context.loop.checkIsolated()
        flow.wake(lanes)
        plan()
    }

    /// Counts receipts. On the loop.
    package func didReceive(_ entries: [OutboxEntry]) {
        context.loop.checkIsolated()
        wakers.hooks()
        note(\.received, entries)
    }

    private func note(_ member: any WritableKeyPath<DeliveryRates.Counts, Int> & Sendable, _ entries: [OutboxEntry]) {
        let keys = entries.map { DeviceKey(tenant: $0.tenant, device: $0.device) }
        call { dispatcher in
            // Counts without a region too.
            let lookups = (try? await dispatcher.context.store.devices(keys)) ?? []
            for (index, entry) in entries.enumerated() {
                var region: String?
                if index < lookups.count, case .found(let device) = lookups[index] {
                    region = device.region
                }
                let app = BundleID(of: entry.topic, entry.pushType).text
                dispatcher.ledger.add(member, tenant: entry.tenant, app: app, region: region)
            }
        }
    }

    /// Counts reports of pushes that did not open. On the loop.
    package func didReport(_ entries: [OutboxEntry]) {
        context.loop.checkIsolated()
        wakers.hooks()
        note(\.unopened, entries)
    }

    package var deliveryRates: DeliveryRates { ledger.rates }

    package var suspendedApps: [SuspendedApp] {
        suspensions.all.flatMap { scope, reason in
            places(of: scope).map { place in
                SuspendedApp(
                    tenant: place.tenant,
                    bundleID: place.bundleID,
                    environment: place.environment,
                    reason: reason
                )
            }
        }
    }

    /// Stops taking, gives back unwritten entries, and waits for answers. Unanswered entries stay `sending`; the next
    /// start resends those with a collapse id, under their apns-id.
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
        context.store.listen(as: context.shards.relay, nil)
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

    // MARK: Turns of the loop

    /// Handles this turn's events together.
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

    /// Starts a store call that continues on the loop; `drain` waits for it.
    func call(_ body: @escaping @Sendable (Dispatcher) async -> Void) {
        callsUnderWay += 1
        Task(executorPreference: context.loop) { [self] in
            await body(self)
            callsUnderWay -= 1
            plan()
        }
    }

    /// Form with a callback, not a task, for every notification's path.
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

    /// Once a second.
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
