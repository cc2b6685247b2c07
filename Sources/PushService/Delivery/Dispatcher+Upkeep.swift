import APNS
import APNSProvider
import Envelope
import Platform
import PushStore
import ServiceParts

/// Due times in nanoseconds of the monotonic clock.
struct UpkeepTimes {
    var gauges = Int64.min
    var notes = Int64.min
    var deliveries = Int64.min
    var feedback = Int64.min
    var reached = Int64.min

    static let second: Int64 = 1_000_000_000
}

extension Dispatcher {
    func doDeviceEffects() {
        guard let effects = deviceEffects.take(now: context.clock.uptime()) else { return }
        call { dispatcher in
            let failed = await dispatcher.carryOut(effects)
            dispatcher.deviceEffects.didEnd(failed, now: dispatcher.context.clock.uptime())
        }
    }

    /// - Returns: effects not written.
    private func carryOut(_ effects: [DeviceEffects.Effect]) async -> [DeviceEffects.Effect] {
        var unregistrations: [Unregistration] = []
        var failed: [DeviceEffects.Effect] = []
        for effect in effects {
            switch effect {
            case .unregister(let unregistration): unregistrations.append(unregistration)
            case .setAside(let token, let environment, let tenant):
                do throws(StoreError) {
                    _ = try await context.store.quarantine(token: token, environment: environment, tenant: tenant)
                } catch {
                    failed.append(effect)
                }
            }
        }
        guard !unregistrations.isEmpty else { return failed }
        do throws(StoreError) {
            _ = try await context.store.unregister(unregistrations)
        } catch {
            failed += unregistrations.map { .unregister($0) }
        }
        return failed
    }

    /// Releases a few of each app's parked entries, after a start, a reload or a takeover.
    func releaseEverything() {
        call { dispatcher in
            // Without counts, of every app.
            let counts = try? await dispatcher.context.store.counts()
            let parked = counts.map { Set($0.filter { $0.parked > 0 }.map(\.tenant)) }
            var steps: [ReleaseQueue.Step] = []
            for entry in dispatcher.lanes.entries.values {
                let places = entry.places.filter { parked?.contains($0.tenant) ?? true }
                steps += dispatcher.steps(places, of: entry, .few)
            }
            dispatcher.releases.add(steps)
        }
    }

    func release(_ scope: SuspensionTable.Scope, _ amount: ReleaseQueue.Amount) {
        guard let entry = lanes.entry(number: scope.lane) else { return }
        releases.add(steps(places(of: scope), of: entry, amount))
    }

    /// Releases entries whose parking reached the disk after their suspension was lifted: the lift released only those
    /// parked by then.
    func releaseLate(_ ended: [Pending]) {
        var scopes: Set<SuspensionTable.Scope> = []
        for pending in ended {
            guard let liftCount = pending.liftCount, liftCount != suspensions.liftCount,
                let environment = pending.device?.environment
            else { continue }
            let (tenant, bundleID) = (pending.entry.tenant, pending.bundleID)
            guard let lane = lanes.entry(tenant: tenant, bundleID: bundleID, environment: environment) else { continue }
            scopes.insert(SuspensionTable.Scope(lane: lane.number, bundleID: bundleID, tenant: tenant))
        }
        for scope in scopes { release(scope, .few) }
    }

    func places(of scope: SuspensionTable.Scope) -> [CredentialPlan.Place] {
        (lanes.entry(number: scope.lane)?.places ?? []).filter { place in
            (scope.bundleID ?? place.bundleID) == place.bundleID && (scope.tenant ?? place.tenant) == place.tenant
        }
    }

    /// Accepted by the API; some only from SAP.
    private static let typesWithTopics: [PushType] = [
        .alert, .voip, .complication, .fileprovider, .liveactivity, .widgets, .controls, .location,
    ]

    private func steps(
        _ places: [CredentialPlan.Place],
        of entry: PushCredentials.Entry,
        _ amount: ReleaseQueue.Amount
    ) -> [ReleaseQueue.Step] {
        places.flatMap { place -> [ReleaseQueue.Step] in
            guard let topic = try? Topic(bundleID: place.bundleID.text) else { return [] }
            let app = SuspensionTable.Scope(lane: entry.number, bundleID: place.bundleID)
            // Entries may have the topic of their push type.
            return Self.typesWithTopics.compactMap { try? topic.appendingSuffix(of: $0) }.map {
                ReleaseQueue.Step(tenant: place.tenant, topic: $0, app: app, amount: amount)
            }
        }
    }

    func releaseNext() {
        let now = context.clock.uptime()
        guard !flow.isDraining, let step = releases.take(now: now) else { return }
        // It would be parked and released endlessly.
        if step.amount == .few || step.amount == .rest, isStopped(step) {
            return releases.didEnd(step, count: 0, now: now)
        }
        call { dispatcher in
            let context = dispatcher.context
            var step = step
            if step.amount == .rest, step.left == nil, let counts = try? await context.store.counts() {
                step.left = counts.filter { $0.tenant == step.tenant }.reduce(0) { $0 + $1.parked }
            }
            let count = try? await context.store.release(
                tenant: step.tenant,
                topic: step.topic,
                limit: step.countMax,
                by: context.shards.live,
                now: context.clock.now()
            )
            dispatcher.releases.didEnd(step, count: count, now: context.clock.uptime())
            if count ?? 0 > 0 { dispatcher.flow.wake(Lane.allCases) }
        }
    }

    private func isStopped(_ step: ReleaseQueue.Step) -> Bool {
        guard let bundleID = step.app.bundleID else { return false }
        return suspensions.stops(
            SuspensionTable.Target(lane: step.app.lane, bundleID: bundleID, tenant: step.tenant)
        )
    }

    func keepUp() {
        guard !flow.isDraining else { return plan() }
        let now = context.clock.uptime()
        for scope in suspensions.takeDue(now: now) {
            let number = scope.lane
            call { dispatcher in
                await dispatcher.lanes.resume(number)
                dispatcher.release(scope, .one(scope))
            }
        }
        lookAtQueues()
        if now >= upkeep.reached {
            upkeep.reached = now &+ 10 * UpkeepTimes.second
            markReached()
        }
        if now >= upkeep.gauges {
            upkeep.gauges = now &+ 5 * UpkeepTimes.second
            setGauges()
        }
        if now >= upkeep.notes {
            upkeep.notes = now &+ 5 * UpkeepTimes.second
            call { dispatcher in await dispatcher.ledger.save() }
        }
        if now >= upkeep.deliveries {
            upkeep.deliveries = now &+ 30 * UpkeepTimes.second
            let deliveries = ledger.todayByPlace
            context.metrics.withLock { $0.deliveries = deliveries }
        }
        if now >= upkeep.feedback {
            upkeep.feedback = now &+ 86_400 * UpkeepTimes.second
            readFeedback()
        }
        plan()
    }

    /// Records tokens first accepted, in batches: each makes the store reread its registrations.
    func markReached() {
        let tokens = reached.take()
        guard !tokens.isEmpty else { return }
        call { dispatcher in try? await dispatcher.context.store.markReached(tokens) }
    }

    private func setGauges() {
        let age = lanes.providerTokenAgeSeconds(at: .now())
        context.metrics.withLock { $0.providerTokenAgeSeconds = age }
    }
}
