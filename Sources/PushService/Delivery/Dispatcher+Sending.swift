import APNS
import APNSProvider
import Envelope
import Platform
import PushStore
import ServiceParts

/// Marks on disk first, then sends.
extension Dispatcher {
    func mark(_ batch: [DispatchFlow.Marked]) {
        var sendable: [DispatchFlow.Marked] = []
        for marked in batch {
            guard let pending = pendings[marked.ticket] else { continue }
            pending.lease = lease(of: pending)
            if isToBeSent(marked, pending) { sendable.append(marked) } else { putAside(marked, pending) }
        }
        guard !sendable.isEmpty else { return flow.didMarkNothing() }
        let marks = sendable
        let leases = marks.compactMap { pendings[$0.ticket]?.lease }
        precondition(leases.count == marks.count)
        called({ context.store.markSending(leases, now: context.clock.now(), completion: $0) }) { dispatcher, result in
            switch result {
            case .success(let results): dispatcher.didMark(marks, results)
            case .failure:
                for marked in marks { dispatcher.didNotGo(marked.ticket) }
                dispatcher.didLosePlace(marks.compactMap { dispatcher.pendings.removeValue(forKey: $0.ticket) })
                dispatcher.flow.didFailToMark(marks, now: dispatcher.context.clock.uptime())
            }
        }
    }

    private func isToBeSent(_ marked: DispatchFlow.Marked, _ pending: Pending) -> Bool {
        guard marked.postponedBy == nil, !marked.isUnreachable, case .push = pending.destination else { return false }
        let tenant = pending.entry.tenant
        guard let device = pending.device,
            let lane = lanes.entry(tenant: tenant, bundleID: pending.bundleID, environment: device.environment)
        else { return false }
        return suspensions.admits(pending.target(lane: lane.number))
    }

    private func putAside(_ marked: DispatchFlow.Marked, _ pending: Pending) {
        didLeaveQueue(pending)
        guard marked.isUnreachable else { return begin(marked) }
        let now = context.clock.now()
        pending.attemptTime = now
        let decision = rules.decide(.notWritten, attemptContext(of: pending), now: now, jitter: jitter())
        context.metrics.withLock { $0.didFinish(.notProcessed, app: pending.app) }
        settle(marked.ticket, nil, decision.notification, waitCause: .connection)
    }

    /// A retried, postponed or overtaken entry yields: a newer one with its collapse id may be out.
    private func lease(of pending: Pending) -> Lease {
        var lease = pending.lease
        let entry = pending.entry
        guard let collapseID = entry.collapseID else { return lease }
        let key = Self.bucketKey(pending.key)
        didPass(key, in: pending.lane)
        guard !entry.isUntouched || queued[pending.lane.index].wasPassed(key, created: entry.created)
        else { return lease }
        lease.yieldsToNewer = context.collapseKey.mayBeShared(
            collapseID,
            id: entry.apnsID,
            tenant: entry.tenant,
            device: entry.device
        )
        return lease
    }

    /// Lets the next push be the probe.
    private func didNotGo(_ ticket: DispatchFlow.Ticket) {
        guard !suspensions.isEmpty, let pending = pendings[ticket], let client = pending.client else { return }
        suspensions.didLearnNothing(pending.target(lane: client))
    }

    private func didMark(_ batch: [DispatchFlow.Marked], _ results: [MarkResult]) {
        var lost: [DispatchFlow.Ticket] = []
        for (marked, result) in zip(batch, results) {
            if let pending = pendings[marked.ticket] {
                if result == .lateOwner { context.shards.didLose(pending.lease.shardLease) }
                didLeaveQueue(pending)
                pending.isMarked = true
            }
            guard result != .sending else { continue }
            lost.append(marked.ticket)
            didNotGo(marked.ticket)
            let app = pendings.removeValue(forKey: marked.ticket)?.app ?? ""
            switch result {
            case .sending, .lost, .lateOwner: continue
            case .expired: context.metrics.withLock { $0.didFinish(.expired, app: app) }
            case .superseded: context.metrics.withLock { $0.didFinish(.superseded, app: app) }
            }
            wakers.hooks()
        }
        flow.didMark(batch, lost: lost)
        guard !isOver else { return }
        for (marked, result) in zip(batch, results) where result == .sending { begin(marked) }
    }

    /// Sends a marked entry; ends, parks or postpones any other.
    func begin(_ marked: DispatchFlow.Marked) {
        guard let pending = pendings[marked.ticket] else { return }
        let now = context.clock.now()
        pending.attemptTime = now
        pending.startedAt = context.clock.uptime()
        if let wait = marked.postponedBy {
            return settle(marked.ticket, nil, .retry(at: now.advanced(by: wait)), waitCause: marked.waitCause)
        }
        switch pending.destination {
        case .end(let why):
            note(\.undeliverable, pending)
            end(marked.ticket, why)
        case .park: settle(marked.ticket, nil, .park, waitCause: .app)
        case .push(let token, let topic):
            let tenant = pending.entry.tenant
            guard let device = pending.device,
                let lane = lanes.entry(
                    tenant: tenant,
                    bundleID: pending.bundleID,
                    environment: device.environment
                )
            else { return settle(marked.ticket, nil, .park, waitCause: .app) }
            // A marked entry may have been suspended meanwhile.
            guard pending.isMarked, suspensions.stillAdmits(pending.target(lane: lane.number)) else {
                return settle(marked.ticket, nil, .park, waitCause: .credential)
            }
            // Near a lease's end another relay may be about to send it.
            guard !flow.isDraining, context.shards.isLive(pending.lease.shardLease) else {
                return settle(marked.ticket, nil, .retry(at: now))
            }
            send(marked.ticket, pending, token, topic, through: lane)
        }
    }

    private func end(_ ticket: DispatchFlow.Ticket, _ why: String) {
        guard let pending = pendings[ticket] else { return }
        var members: [ServiceLog.Member] = [
            ("trace", Self.trace(pending.entry).text), ("topic", pending.app), ("why", why),
        ]
        if let context = pending.entry.traceContext { members.append(("traceparent", context.text)) }
        context.log.event("not-sent", .warning, at: pending.attemptTime, members)
        let attempt = Attempt(time: pending.attemptTime, connection: .notProcessed, reason: why)
        settle(ticket, attempt, .dead(.undeliverable))
    }

    private func send(
        _ ticket: DispatchFlow.Ticket,
        _ pending: Pending,
        _ token: DeviceToken,
        _ topic: Topic,
        through lane: PushCredentials.Entry
    ) {
        let notification = PushNotification(
            id: pending.entry.apnsID,
            deviceToken: token,
            topic: topic,
            pushType: pending.entry.pushType,
            priority: pending.entry.priority,
            expiration: pending.entry.expiration,
            collapseID: pending.entry.collapseID,
            payload: pending.payload,
            trace: pending.entry.trace?.text
        )
        context.metrics.withLock { $0.didSend(app: pending.app, lane: pending.lane) }
        if pending.entry.attemptCount == 0 { note(\.tried, pending) }
        let deadlineMilliseconds = Int64(clamping: pending.entry.deadline.milliseconds)
        let left = deadlineMilliseconds - Int64(clamping: pending.attemptTime.milliseconds)
        // Enough for an answer; less would only make results ambiguous.
        let deadline = Duration.milliseconds(max(1_000, left))
        flow.didHandIn(ticket)
        lane.client.send(notification, within: deadline) { [self] result in didAnswer(ticket, result, lane.number) }
    }

    func note(_ member: WritableKeyPath<DeliveryRates.Counts, Int>, _ pending: Pending) {
        ledger.add(
            member,
            tenant: pending.entry.tenant,
            app: pending.app,
            region: pending.device?.region
        )
    }

    static func trace(_ entry: OutboxEntry) -> Trace { entry.trace ?? Trace(bytes: entry.apnsID.bytes) }
}
