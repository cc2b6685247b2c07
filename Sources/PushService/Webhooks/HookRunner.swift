import APNS
package import Envelope
import Networking
import Platform
package import PushStore
import ServiceParts

/// Sends due hooks and records the results, at least once: after a crash, a hook is due again as its lease ends. On the
/// loop.
package actor HookRunner: DueRunner {
    package static let storeFailureEvent: StaticString = "hooks-store-failed"
    private static let limits = SendLimits(whole: 512, firstOfTenant: 8, ofTenant: 128)
    private static let lease = Duration.seconds(300)

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.loop.unownedExecutor }
    package nonisolated let context: ServiceContext
    private let sender: WebhookSender
    private let retry: HookRetry
    private let chance: @Sendable () -> Double
    package var turn: DueTurn<Hook, HookOutcome>
    /// Held hooks; one whose lease ends is taken again.
    private var held: Set<Int64> = []

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
        turn = DueTurn(context, Self.limits)
    }

    package func take(
        _ room: ClaimRoom,
        now: Timestamp
    ) async throws(StoreError) -> [(tenant: TenantID, work: Hook)] {
        let end = now.advanced(by: Self.lease)
        return try await context.store.takeHooks(room, by: context.shards.live, now: now, leasedUntil: end)
            .filter { held.insert($0.id).inserted }
            .map { ($0.entry.tenant, $0) }
    }

    package func nextDue(_ room: ClaimRoom) async throws(StoreError) -> Timestamp? {
        let shards = context.shards.live.shards
        return try await context.store.nextHook(room, of: shards)
    }

    package func countOfCall(to tenant: TenantID) -> Int {
        context.settings.tenant(tenant)?.webhook?.eventsPerCall ?? 1
    }

    package func unsent(_ hook: Hook) -> HookOutcome { outcome(hook, .retry(at: context.clock.now())) }

    package func call(_ hooks: [Hook], of tenant: TenantID) async -> Bool {
        guard let webhook = context.settings.tenant(tenant)?.webhook else {
            // Without a webhook the hook is done.
            for hook in hooks { end(outcome(hook, .done), of: tenant) }
            return true
        }
        var wasAnswered = true
        // The configuration may have changed since.
        for group in webhook.eventsPerCall > 1 ? [hooks] : hooks.map({ [$0] }) {
            let result = await sender.send(await post(group, to: webhook))
            wasAnswered = !result.isTheServersFault
            note(result, of: tenant)
            for hook in group { end(outcome(hook, verdict(hook, result)), of: tenant) }
        }
        return wasAnswered
    }

    private func note(_ result: WebhookResult, of tenant: TenantID) {
        guard result != .notSent(.cancelled) else { return }
        var failure: String? = result.words
        if case .answered(200...299) = result { failure = nil }
        let now = context.clock.now()
        context.metrics.withLock { [failure] in $0.didCall(tenant, failure: failure, at: now) }
    }

    private func post(_ hooks: [Hook], to webhook: WebhookConfiguration) async -> WebhookPost {
        var events: [(hook: Hook, attempt: Attempt?)] = []
        for hook in hooks { events.append((hook, await lastAttempt(of: hook))) }
        guard webhook.eventsPerCall == 1, let (hook, attempt) = events.first else {
            return WebhookPost(to: webhook, id: HookBody.deliveryID(hooks), body: HookBody.bytes(events))
        }
        let body = HookBody.bytes(hook, lastAttempt: attempt)
        return WebhookPost(to: webhook, id: HookBody.deliveryID(hook), body: body)
    }

    private func verdict(_ hook: Hook, _ result: WebhookResult) -> HookOutcome.Verdict {
        let now = context.clock.now()
        if result == .notSent(.cancelled) { return .retry(at: now) }
        switch retry.verdict(result, created: hook.created, now: now, chance: chance()) {
        case .done:
            return .done
        case .givenUp:
            log("webhook-given-up", hook, result, now)
            return .done
        case .retry(let time):
            log("webhook-failed", hook, result, now)
            return .retry(at: time)
        }
    }

    private func lastAttempt(of hook: Hook) async -> Attempt? {
        guard hook.kind == .dead else { return nil }
        // If attempts cannot be read, none is in the event.
        return try? await context.store.attempts(hook.entry.id, tenant: hook.entry.tenant).last
    }

    private func log(_ event: StaticString, _ hook: Hook, _ result: WebhookResult, _ now: Timestamp) {
        context.log.event(
            event,
            .warning,
            at: now,
            [
                ("tenant", hook.entry.tenant.text), ("apns-id", hook.entry.apnsID.description),
                ("hook", hook.kind.word), ("outcome", result.words),
            ]
        )
    }

    private func outcome(_ hook: Hook, _ verdict: HookOutcome.Verdict) -> HookOutcome {
        held.remove(hook.id)
        return HookOutcome(hook, verdict)
    }

    package func write(_ outcomes: [HookOutcome]) async throws(StoreError) {
        context.noteLate(try await context.store.finishHooks(outcomes))
    }

    package func dueAgain(_ outcome: HookOutcome) -> Timestamp? {
        if case .retry(let time) = outcome.verdict { time } else { nil }
    }
}
