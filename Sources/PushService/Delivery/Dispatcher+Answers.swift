import APNS
import APNSProvider
import Envelope
import Platform
import PushStore
import ServiceParts

extension Dispatcher {
    func didAnswer(_ ticket: DispatchFlow.Ticket, _ answer: Result<APNSResponse, ProviderError>, _ lane: Int) {
        guard !isOver, let pending = pendings[ticket] else { return }
        let now = context.clock.now()
        let ended = lanes.earlier.take(pending.entry.apnsID)
        let report = ClientReport(
            answer,
            time: ended.last?.time ?? pending.attemptTime,
            after: ended.isEmpty ? [] : EarlierAttempts.attempts(ended, from: pending.attemptTime)
        )
        // Randomness costs a system call; an accepted push needs none.
        let chance = report.status == 200 ? 0 : jitter()
        let decision = rules.decide(report.result, attemptContext(of: pending, report), now: now, jitter: chance)
        record(report, pending, now)
        judgeCredential(report, pending, lane)
        judgeDevice(report, decision, pending, lane, now)
        var verdict = decision.notification
        // Due at once for the next process.
        if flow.isDraining, report.result == .notWritten { verdict = .retry(at: context.clock.now()) }
        settle(ticket, report.attempt, after: report.earlier, verdict, waitCause: report.waitCause)
    }

    /// - Parameter report: nil if no attempt was begun.
    func attemptContext(of pending: Pending, _ report: ClientReport? = nil) -> AttemptContext {
        AttemptContext(
            lane: pending.lane,
            attemptCount: pending.entry.attemptCount + (report?.earlier.count ?? 0) + 1,
            attemptLimit: pending.entry.attemptLimit,
            hasCollapseID: pending.entry.collapseID != nil,
            deadline: pending.entry.deadline,
            hadExpiredProviderToken: report?.hadExpiredProviderToken ?? false,
            lastWait: pending.entry.wait
        )
    }

    /// Notes the result, written with this turn's others. Without an attempt, nothing was written to APNs.
    func settle(
        _ ticket: DispatchFlow.Ticket,
        _ attempt: Attempt?,
        after earlier: [Attempt] = [],
        _ verdict: Verdict,
        waitCause: WaitCause? = nil
    ) {
        guard let pending = pendings[ticket] else { return }
        pending.outcome = Outcome(
            lease: pending.lease,
            attempt: attempt,
            earlier: earlier,
            verdict: verdict,
            waitCause: waitCause,
            isMarked: pending.isMarked
        )
        if case .park = verdict { pending.liftCount = suspensions.liftCount }
        if case .retry(let time) = verdict {
            let now = context.clock.now().milliseconds
            let wait = time.milliseconds > now ? time.milliseconds - now : 0
            let nanoseconds = Int64(clamping: min(wait, 86_400_000)) * 1_000_000
            // Limited retries go to the background queue; a postponed entry keeps its queue.
            let lane = pending.entry.attemptLimit == nil || attempt == nil ? pending.lane : .background
            flow.willHaveMore(lane, at: context.clock.uptime() &+ nanoseconds)
            if attempt == nil { willQueueAgain(pending) }
        }
        flow.didAnswer(ticket)
        plan()
    }

    func finish(_ batch: [DispatchFlow.Ticket]) {
        let outcomes = batch.compactMap { pendings[$0]?.outcome }
        precondition(outcomes.count == batch.count)
        called({ context.store.finish(outcomes, now: context.clock.now(), completion: $0) }) { dispatcher, result in
            switch result {
            case .success(let results):
                let ended = batch.compactMap { dispatcher.pendings.removeValue(forKey: $0) }
                dispatcher.noteLate(ended, results)
                for (pending, result) in zip(ended, results) where !pending.isMarked {
                    dispatcher.didFinishUnmarked(pending, result)
                }
                dispatcher.releaseLate(ended)
                dispatcher.wakeHooks(for: ended)
                dispatcher.flow.didFinish(batch)
            case .failure: dispatcher.flow.didFailToFinish(batch, now: dispatcher.context.clock.uptime())
            }
        }
    }

    /// The shards' next owner has settled the entries.
    private func noteLate(_ ended: [Pending], _ results: [FinishResult]) {
        guard results.contains(.lateOwner) else { return }
        let late = zip(ended, results).filter { $0.1 == .lateOwner }
        for (pending, _) in late { context.shards.didLose(pending.lease.shardLease) }
        context.noteLate(late.count)
    }

    /// Counts postponed entries that expired or were superseded.
    private func didFinishUnmarked(_ pending: Pending, _ result: FinishResult) {
        guard pending.outcome?.attempt == nil, case .recorded(let state) = result, state.isFinal else { return }
        didLeaveQueue(pending)
        let end: ServiceMetrics.Outcome = state == .dead(.superseded) ? .superseded : .expired
        context.metrics.withLock { $0.didFinish(end, app: pending.app) }
    }

    func wakeHooks(for ended: [Pending]) {
        let settings = context.settings
        var (hasFallback, hasHook) = (false, false)
        for pending in ended {
            func tenant() -> TenantConfiguration? { settings.tenant(pending.entry.tenant) }
            switch pending.outcome?.verdict {
            case .accepted where pending.lane == .urgent && !hasFallback:
                hasFallback = tenant()?.apps.contains { $0.fallback != nil } ?? false
            case .dead where !hasHook, .retry where !hasHook:
                // It may have been the last, or too late.
                hasHook = tenant()?.webhook != nil
            case .accepted, .dead, .retry, .park, nil: break
            }
        }
        if hasFallback { wakers.fallbacks() }
        if hasHook { wakers.hooks() }
    }

    private func record(_ report: ClientReport, _ pending: Pending, _ now: Timestamp) {
        let nanoseconds = max(0, context.clock.uptime() - pending.startedAt)
        let app = pending.app
        context.metrics.withLock { metrics in
            // The first is already counted.
            var isFirst = true
            for one in report.told {
                if !isFirst { metrics.didSend(app: app, lane: pending.lane) }
                isFirst = false
                let reason = one.reason.flatMap(Reason.init(rawValue:))
                metrics.didFinish(one.status == nil ? .notProcessed : .unknownReason, app: app, reason: reason)
            }
            guard report.isBesideTold else { return }
            if !isFirst { metrics.didSend(app: app, lane: pending.lane) }
            let microseconds = report.status == nil ? nil : nanoseconds / 1_000
            metrics.didFinish(
                report.metric,
                app: app,
                tenant: pending.entry.tenant,
                reason: report.reason,
                microseconds: microseconds
            )
        }
        func write(
            _ one: Attempt,
            _ failure: AttemptResult.Failure?,
            at time: Timestamp,
            milliseconds: Int64,
            ordinal: Int
        ) {
            let entry = pending.entry
            context.record(entry.traceContext) { parent in
                var attributes: [TraceSpan.Attribute] = [
                    ("sealedpush.apns_id", .text(entry.apnsID.description)),
                    ("sealedpush.topic", .text(entry.topic.description)),
                    ("sealedpush.attempt", .number(entry.attemptCount + ordinal)),
                ]
                if let status = one.status { attributes.append(("http.response.status_code", .number(status))) }
                let known = one.reason.flatMap(Reason.init(rawValue:))?.rawValue ?? failure?.rawValue
                if let known { attributes.append(("error.type", .text(known))) }
                let span = milliseconds * 1_000_000
                let isError = one.status != 200
                return TraceSpan(
                    "attempt",
                    .client,
                    in: parent,
                    end: time,
                    nanoseconds: span,
                    isError: isError,
                    attributes
                )
            }
            AttemptLogLine(
                timeMilliseconds: Int64(clamping: time.milliseconds),
                trace: Self.trace(pending.entry),
                traceContext: pending.entry.traceContext,
                id: pending.entry.apnsID,
                topic: pending.entry.topic,
                pushType: pending.entry.pushType,
                priority: pending.entry.priority,
                status: one.status,
                reason: one.reason.flatMap(Reason.init(rawValue:)),
                failure: failure,
                milliseconds: milliseconds,
                attempt: pending.entry.attemptCount + ordinal
            ).append(to: &logLines)
        }
        for (index, one) in report.earlier.enumerated() {
            let next =
                index + 1 < report.earlier.count ? report.earlier[index + 1].time : report.attempt?.time ?? one.time
            let milliseconds = max(0, Int64(next.duration(since: one.time) / .milliseconds(1)))
            write(one, report.failure(of: one), at: next, milliseconds: milliseconds, ordinal: index + 1)
        }
        // A mere wait is no attempt.
        if let last = report.attempt {
            let count = report.earlier.count + 1
            write(last, report.failure(of: last), at: now, milliseconds: nanoseconds / 1_000_000, ordinal: count)
        }
        plan()
    }

    // MARK: The credential

    private func judgeCredential(_ report: ClientReport, _ pending: Pending, _ lane: Int) {
        switch report.blame {
        case .app(let reason): suspend(SuspensionTable.Scope(lane: lane, bundleID: pending.bundleID), reason)
        case .credential(let reason): suspend(SuspensionTable.Scope(lane: lane, bundleID: nil), reason)
        case nil where report.status == nil:
            suspensions.didLearnNothing(pending.target(lane: lane))
        case nil: break
        }
    }

    func suspend(_ scope: SuspensionTable.Scope, _ reason: Reason) {
        guard suspensions.suspend(scope, reason, now: context.clock.uptime()) else { return }
        logEvent("suspended", .error, scope, [("reason", reason.rawValue)])
        showSuspensions()
        // This app's unsent pushes would be refused one by one, each stopping the client, and the credential's other
        // apps, for longer. One tenant's bad tokens do not.
        guard let bundleID = scope.bundleID, scope.tenant == nil else { return }
        lanes.entry(number: scope.lane)?.client.takeBack {
            BundleID(of: $0.topic, $0.pushType) == bundleID
        }
    }

    private func resume(_ scopes: [SuspensionTable.Scope]) {
        guard !scopes.isEmpty else { return }
        for scope in scopes {
            logEvent("resumed", .info, scope)
            release(scope, .rest)
        }
        showSuspensions()
    }

    func showSuspensions() {
        let count = suspensions.all.count
        context.metrics.withLock { $0.suspensionCount = count }
    }

    private func logEvent(
        _ event: StaticString,
        _ level: LogLevel,
        _ scope: SuspensionTable.Scope,
        _ more: [ServiceLog.Member] = []
    ) {
        let places = lanes.entry(number: scope.lane)?.places ?? []
        let apps = scope.bundleID.map { [$0.text] } ?? Set(places.map(\.bundleID.text)).sorted()
        let first = apps.prefix(8).joined(separator: " ") + (apps.count > 8 ? " and \(apps.count - 8) more" : "")
        var members: [ServiceLog.Member] = [("apps", first), ("of", scope.bundleID == nil ? "credential" : "app")]
        if let tenant = scope.tenant { members.append(("tenant", tenant.text)) }
        context.log.event(event, level, at: context.clock.now(), members + more)
    }

    private func unregister(_ pending: Pending, _ token: DeviceToken, at timestamp: Timestamp) {
        let purpose = pending.entry.purpose
        let gone = Unregistration(key: pending.key, token: token, timestamp: timestamp, purpose: purpose)
        deviceEffects.add(.unregister(gone))
    }

    private func judgeDevice(
        _ report: ClientReport,
        _ decision: Decision,
        _ pending: Pending,
        _ lane: Int,
        _ now: Timestamp
    ) {
        guard report.status != nil, let device = pending.device, case .push(let token, _) = pending.destination else {
            return
        }
        let environment = device.environment
        let tenant = pending.entry.tenant
        let place = TokenQuarantine.Place(
            tenant: tenant,
            bundleID: pending.bundleID,
            environment: environment,
            isReached: device.isReached
        )
        // Tokens of other purposes end in many ways, which say nothing about the environment.
        let isOfApp = pending.entry.purpose == nil
        let isBad = isOfApp && decision.device == .quarantine
        if isOfApp, isBad || report.status == 200 || report.status == 410 {
            if quarantine.didAnswer(at: place, isFailure: isBad, now: Int64(clamping: now.milliseconds)) {
                context.log.event(
                    "environment-suspected",
                    .warning,
                    at: context.clock.now(),
                    [
                        ("tenant", tenant.text), ("topic", pending.app),
                        ("environment", environment.rawValue),
                    ]
                )
            }
        }
        if isBad, quarantine.isSuspected(place) {
            // The environment is at fault: the devices stay, and this tenant's pushes wait. Other tenants' tokens are
            // not affected, nor those that APNs accepted before, while good.
            let scope = SuspensionTable.Scope(
                lane: lane,
                bundleID: pending.bundleID,
                tenant: tenant,
                isOfUnreached: !device.isReached
            )
            return suspend(scope, .badDeviceToken)
        }
        if report.blame == nil {
            let back = suspensions.didPass(pending.target(lane: lane))
            if !back.isEmpty { quarantine.clear(place) }
            resume(back)
            releases.didPass(SuspensionTable.Scope(lane: lane, bundleID: pending.bundleID))
        }
        if report.status == 200 {
            note(\.sent, pending)
            if !device.isReached, isOfApp, pending.entry.pushType != .voip {
                reached.add(ReachedToken(token: token, environment: environment, tenant: pending.entry.tenant))
            }
        }
        if decision.notification == .dead(.undeliverable) {
            note(\.undeliverable, pending)
        }
        switch decision.device {
        case .keep, .markReached: break
        case .quarantine where isOfApp:
            deviceEffects.add(.setAside(token, environment, pending.entry.tenant))
        case .deletePair, .quarantine:
            // A registration after the attempt stays.
            unregister(pending, token, at: pending.attemptTime)
        case .deleteIfRegisteredBy(let timestamp): unregister(pending, token, at: timestamp)
        case .slowDown(let delay):
            flow.bucket.slowDown(Self.bucketKey(pending.key), for: delay, now: context.clock.uptime())
        }
    }
}
