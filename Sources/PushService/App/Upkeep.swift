import Envelope
import Networking
import Platform
import PushStore
import ServiceParts

/// Periodic maintenance, in small steps between requests.
package final class Upkeep: Sendable {
    private final class State {
        var plan = UpkeepPlan()
        var heap = HeapTrim()
        var timer: LoopTimer?
        var isStopped = true
        var isRunning = false
    }

    /// Entries of a transaction: a few milliseconds.
    static let stepCountMax = 500
    private static let tick = Duration.milliseconds(500)

    private let context: ServiceContext
    private let quota: QuotaTable
    private let wakers: DispatchWakers
    private let state: LoopBound<State>

    package init(_ context: ServiceContext, quota: QuotaTable, wakers: DispatchWakers = DispatchWakers()) {
        self.context = context
        self.quota = quota
        self.wakers = wakers
        state = LoopBound(State(), to: context.loop)
    }

    package func start() {
        let state = state.value
        guard state.isStopped else { return }
        state.isStopped = false
        // The baseline for later floods.
        state.heap.run()
        arm(state)
    }

    /// A step that has begun ends by itself.
    package func stop() {
        let state = state.value
        state.isStopped = true
        state.timer?.cancel()
        state.timer = nil
    }

    private func arm(_ state: State) {
        state.timer = context.loop.schedule(after: Self.tick) { [weak self] in self?.handleTimer() }
    }

    private func handleTimer() {
        let state = state.value
        guard !state.isStopped, !state.isRunning else { return }
        state.isRunning = true
        // Arms the next timer at its end: there is one at a time.
        Task(executorPreference: context.loop) { [self] in
            await run()
            let state = self.state.value
            state.isRunning = false
            if !state.isStopped { arm(state) }
        }
    }

    /// Runs one step of each due job, on the loop.
    package func run() async {
        for job in state.value.plan.due(now: context.clock.uptime()) {
            do throws(StoreError) {
                let hasMore = try await step(job)
                state.value.plan.did(job, hasMore: hasMore, now: context.clock.uptime())
            } catch {
                guard state.value.plan.failed(job, now: context.clock.uptime()) else { continue }
                // Contains nothing of a notification.
                var members: [ServiceLog.Member] = [("job", "\(job)"), ("error", "\(error)")]
                if error == .moved { members.append(("advice", error.advice)) }
                context.log.event("upkeep-failed", .error, at: context.clock.now(), members)
            }
        }
    }

    private func step(_ job: UpkeepPlan.Job) async throws(StoreError) -> Bool {
        let now = context.clock.now()
        switch job {
        case .expire:
            let ended = try await context.store.expire(
                by: context.shards.live,
                now: now,
                limit: Self.stepCountMax
            )
            if !ended.isEmpty {
                let apps = ended.map { $0.map { BundleID(of: $0.topic, $0.pushType).text } ?? "" }
                context.metrics.withLock { metrics in
                    for app in apps { metrics.didFinish(.expired, app: app) }
                }
                wakers.hooks()
            }
            return ended.count >= Self.stepCountMax
        case .measure:
            try await measure(now)
            return false
        case .saveQuota:
            try await quota.save()
            return false
        case .saveEndpointCounts: return try await context.saveEndpointCounts()
        case .loadEndpointBlocks:
            try await context.loadEndpointBlocks()
            return false
        case .trim:
            state.value.heap.run()
            return false
        case .ring:
            wakers.hooks()
            wakers.fallbacks()
            return false
        case .renewStamp:
            try await context.store.renewStamp()
            return false
        case .emptyLog: return try await !context.store.emptyLog()
        case .purge:
            let days = Int64(context.settings.limits.retentionDays)
            let time = now.advanced(by: .seconds(-days * 86_400))
            return try await context.store.purge(
                context.shards.live.shards,
                endedBefore: time,
                limit: Self.stepCountMax
            ) >= Self.stepCountMax
        }
    }

    private func measure(_ now: Timestamp) async throws(StoreError) {
        let shards = context.shards.live.shards
        let counts = try await context.store.counts(of: shards)
        var depth = LaneScheduler.Counts()
        var age = LaneScheduler.Counts()
        for count in counts { depth[count.lane] += count.queued }
        for lane in Lane.allCases {
            age[lane] = Self.seconds(since: try await context.store.oldestDue(lane, in: shards), now)
        }
        let fallback = try await context.store.nextFallback(.unlimited, of: shards)
        let fallbackAge = Self.seconds(since: fallback, now)
        context.metrics.withLock { [depth, age] metrics in
            metrics.queueDepth = depth
            metrics.queueAge = age
            metrics.fallbackAgeSeconds = fallbackAge
        }
    }

    private static func seconds(since time: Timestamp?, _ now: Timestamp) -> Int {
        guard let time, time < now else { return 0 }
        return Int(clamping: (now.milliseconds - time.milliseconds) / 1_000)
    }
}
