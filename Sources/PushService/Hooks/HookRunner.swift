import APNS
package import Envelope
package import PushStore
import Transport

/// Tells tenants what happened: takes hooks that are due, sends each, and says to the store what became of it. At least
/// once: what it holds when the process dies is due again when its lease is over. Lives on the loop.
package actor HookRunner: DueRunner {
    package static let storeFailureEvent: StaticString = "hooks-store-failed"
    private static let takeCount = 256
    private static let heldCountsOfTenant = 16...512
    private static let lease = Duration.seconds(300)

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.loop.asUnownedSerialExecutor() }
    package nonisolated let context: ServiceContext
    private let sender: WebhookSender
    private let retry: HookRetry
    private let chance: @Sendable () -> Double
    package var turn: DueTurn
    /// By id, whose they are.
    private var held: [Int64: String] = [:]
    private var heldCounts: [String: Int] = [:]
    /// Where the next hook of a tenant goes for which there is no room.
    private var putOff: [String: Timestamp] = [:]
    private var outcomes: [HookOutcome] = []
    package private(set) var isFinishing = false

    package init(
        _ context: ServiceContext,
        sender: WebhookSender,
        retry: HookRetry = HookRetry(),
        chance: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.context = context
        self.sender = sender
        self.retry = retry
        self.chance = chance
        turn = DueTurn(context)
    }

    package var heldCount: Int { held.count }

    // MARK: Taking

    package func takeBatch(now: Timestamp) async throws(StoreError) -> Bool {
        let end = now.advanced(by: Self.lease)
        let hooks = try await context.store.takeHooks(limit: Self.takeCount, now: now, leasedUntil: end)
        for hook in hooks { take(hook, now: now) }
        return hooks.count == Self.takeCount
    }

    package func nextDue() async throws(StoreError) -> Timestamp? { try await context.store.nextHook() }

    private func take(_ hook: Hook, now: Timestamp) {
        guard held[hook.id] == nil else { return }
        let tenant = String(decoding: hook.entry.tenant.bytes, as: UTF8.self)
        held[hook.id] = tenant
        heldCounts[tenant, default: 0] += 1
        if let later = timeOfRoom(for: tenant, now: now) {
            return end(hook, .retry(at: later))
        }
        // It ends with its post, which `WebhookSender.stop` ends at the latest.
        Task(executorPreference: context.loop) { await self.tell(hook, tenant) }
    }

    /// A tenant whose server is slow gets no more of the memory than it works off within half a lease; what is beyond comes
    /// again when its turn may have come, so that what lies behind it in the queue is seen.
    ///
    /// - Returns: nil: there is room.
    private func timeOfRoom(for tenant: String, now: Timestamp) -> Timestamp? {
        let spacing = sender.assumeIsolated { $0.spacingMilliseconds(of: tenant) }
        let worth = Int(clamping: Self.lease.components.seconds * 500 / spacing)
        let room = min(max(worth, Self.heldCountsOfTenant.lowerBound), Self.heldCountsOfTenant.upperBound)
        guard heldCounts[tenant, default: 0] > room else { return nil }
        let soonest = now.advanced(by: .milliseconds(spacing * Int64(room / 2)))
        let time = max(putOff[tenant] ?? soonest, soonest)
        putOff[tenant] = time.advanced(by: .milliseconds(spacing))
        return time
    }

    // MARK: Telling

    private func tell(_ hook: Hook, _ tenant: String) async {
        // Where nobody is to be told any more, it is over.
        guard let webhook = context.settings.tenant(tenant)?.webhook else { return end(hook, .done) }
        let body = HookBody.bytes(hook, lastAttempt: await lastAttempt(of: hook))
        let post = WebhookPost(to: webhook, deliveryID: HookBody.deliveryID(hook), body: body)
        let result = await sender.send(post, of: tenant)
        let now = context.clock.now()
        if result == .notSent(.cancelled) { return end(hook, .retry(at: now)) }
        switch retry.verdict(result, created: hook.created, now: now, chance: chance()) {
        case .done:
            end(hook, .done)
        case .givenUp:
            log("webhook-given-up", hook, tenant, result, now)
            end(hook, .done)
        case .retry(let time):
            log("webhook-failed", hook, tenant, result, now)
            end(hook, .retry(at: time))
        }
    }

    private func lastAttempt(of hook: Hook) async -> Attempt? {
        guard hook.kind == .dead else { return nil }
        // A tenant is told late rather than nothing: without them if they cannot be read.
        return try? await context.store.attempts(hook.entry.id, tenant: hook.entry.tenant).last
    }

    private func log(_ event: StaticString, _ hook: Hook, _ tenant: String, _ result: WebhookResult, _ now: Timestamp) {
        context.log.event(
            event,
            at: now,
            [
                ("tenant", tenant), ("apns-id", hook.entry.apnsID.description), ("hook", hook.kind.word),
                ("outcome", result.words),
            ]
        )
    }

    // MARK: Finishing

    private func end(_ hook: Hook, _ verdict: HookOutcome.Verdict) {
        outcomes.append(HookOutcome(id: hook.id, verdict: verdict))
        guard !isFinishing else { return }
        isFinishing = true
        // It ends when there is nothing to write.
        Task(executorPreference: context.loop) { await self.finishAll() }
    }

    private func finishAll() async {
        while !outcomes.isEmpty {
            let batch = outcomes
            outcomes = []
            // Before they are written: one that is due again at once may be taken while this waits for the store's word.
            for outcome in batch { release(outcome.id) }
            do throws(StoreError) {
                try await context.store.finishHooks(batch)
            } catch {
                // They are told once more when the lease is over.
                noteFailure(error)
            }
            for outcome in batch {
                if case .retry(let time) = outcome.verdict { wake(at: time) }
            }
        }
        isFinishing = false
        didRelease()
    }

    private func release(_ id: Int64) {
        guard let tenant = held.removeValue(forKey: id), let count = heldCounts[tenant] else { return }
        heldCounts[tenant] = count > 1 ? count - 1 : nil
    }
}
