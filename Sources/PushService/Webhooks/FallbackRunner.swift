import APNS
package import Envelope
import Networking
import Platform
package import PushStore
import ServiceParts

/// Sends fallbacks at most once: `sending` on disk before the first byte, given back if certainly not sent. On the
/// loop.
package actor FallbackRunner: DueRunner {
    package static let storeFailureEvent: StaticString = "fallbacks-store-failed"
    private static let limits = SendLimits(whole: 64, firstOfTenant: 8, ofTenant: 8)

    /// For connection attempts; a much later text helps nobody.
    package struct Patience: Sendable {
        package var wholeMilliseconds: UInt64 = 120_000
        package var firstWaitMilliseconds: UInt64 = 1_000

        package init() {}
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.loop.unownedExecutor }
    package nonisolated let context: ServiceContext
    private let sender: WebhookSender
    private let patience: Patience
    private let didReport: @Sendable () -> Void
    package var turn: DueTurn<ClaimedFallback, FallbackOutcome>

    package init(
        _ context: ServiceContext,
        sender: WebhookSender,
        patience: Patience = Patience(),
        didReport: @escaping @Sendable () -> Void
    ) {
        self.context = context
        self.sender = sender
        self.patience = patience
        self.didReport = didReport
        turn = DueTurn(context, Self.limits)
    }

    package func take(
        _ room: ClaimRoom,
        now: Timestamp
    ) async throws(StoreError) -> [(tenant: TenantID, work: ClaimedFallback)] {
        try await context.store.claimFallbacks(room, by: context.shards.live, now: now).map { ($0.entry.tenant, $0) }
    }

    package func nextDue(_ room: ClaimRoom) async throws(StoreError) -> Timestamp? {
        let shards = context.shards.live.shards
        return try await context.store.nextFallback(room, of: shards)
    }

    package func countOfCall(to tenant: TenantID) -> Int { 1 }

    package func unsent(_ fallback: ClaimedFallback) -> FallbackOutcome {
        FallbackOutcome(fallback, .givenBack(due: fallback.due, tried: fallback.tried))
    }

    package func call(_ fallbacks: [ClaimedFallback], of tenant: TenantID) async -> Bool {
        var wasAnswered = true
        for fallback in fallbacks {
            let (outcome, result) = await fire(fallback)
            wasAnswered = result?.isTheServersFault != true
            end(outcome, of: tenant)
        }
        return wasAnswered
    }

    private func fire(_ fallback: ClaimedFallback) async -> (FallbackOutcome, WebhookResult?) {
        guard let configuration = await configuration(of: fallback.entry) else {
            return (failed(fallback, "its app has no fallback"), nil)
        }
        let body = FallbackBody.bytes(fallback.entry, configuration, sent: context.clock.now())
        let id = FallbackBody.deliveryID(fallback.entry)
        let post = WebhookPost(to: configuration.delivery, id: id, body: body)
        let result = await sender.sendAlone(post, mayBegin: permission(for: fallback))
        switch result {
        case .answered(200...299):
            context.metrics.withLock { $0.didEndFallback(.sent) }
            return (ended(fallback, telling: .fallback), result)
        case .answered:
            return (failed(fallback, result.words), result)
        case .lost:
            note("fallback-uncertain", .uncertain, fallback, result.words)
            return (ended(fallback, telling: .fallbackUncertain), result)
        case .notSent(.calledOff):
            return (ended(fallback, telling: nil), result)
        case .notSent(.cancelled), .notSent(.store):
            return (unsent(fallback), result)
        case .notSent:
            return (again(fallback, after: result), result)
        }
    }

    /// Blocks the call's own thread.
    private func permission(for fallback: ClaimedFallback) -> WebhookProgress.Permission {
        { [store = context.store, id = fallback.entry.id, lease = fallback.lease] in
            let answer = Monitored<Result<Bool, StoreError>?>(nil)
            store.beginFallback(id, lease) { result in answer.change { $0 = result } }
            return switch answer.wait({ $0 }) {
            case .success(true): nil
            case .success(false): .calledOff
            case .failure: .store
            }
        }
    }

    /// Waits as long as the tries lasted, and so doubles.
    private func again(_ fallback: ClaimedFallback, after result: WebhookResult) -> FallbackOutcome {
        let now = context.clock.now()
        let first = fallback.tried ?? now
        let age = now.milliseconds - min(first.milliseconds, now.milliseconds)
        let wait = max(patience.firstWaitMilliseconds, age)
        guard age + wait < patience.wholeMilliseconds else { return failed(fallback, result.words) }
        let due = now.advanced(by: .milliseconds(Int64(clamping: wait)))
        return FallbackOutcome(fallback, .givenBack(due: due, tried: first))
    }

    /// The environment comes from the entry's device.
    private func configuration(of entry: OutboxEntry) async -> FallbackConfiguration? {
        let key = DeviceKey(tenant: entry.tenant, device: entry.device)
        // Otherwise both environments are searched.
        let found = try? await context.store.devices([key]).first
        let environment: APNSEnvironment? =
            if case .found(let device) = found { device.environment } else { nil }
        let settings = context.settings
        let bundleID = BundleID(of: entry.topic, entry.pushType)
        let environments = environment.map { [$0] } ?? [.production, .sandbox]
        return environments.lazy.compactMap {
            settings.app(bundleID, environment: $0, of: entry.tenant)?.app.fallback
        }.first
    }

    private func failed(_ fallback: ClaimedFallback, _ outcome: String) -> FallbackOutcome {
        note("fallback-failed", .failed, fallback, outcome)
        return ended(fallback, telling: nil)
    }

    private func ended(_ fallback: ClaimedFallback, telling kind: HookKind?) -> FallbackOutcome {
        let isTold = context.settings.tenant(fallback.entry.tenant)?.webhook != nil
        return FallbackOutcome(fallback, .ended(telling: isTold ? kind : nil))
    }

    private func note(
        _ event: StaticString,
        _ end: ServiceMetrics.FallbackEnd,
        _ fallback: ClaimedFallback,
        _ outcome: String
    ) {
        context.metrics.withLock { $0.didEndFallback(end) }
        context.log.fallback(event, fallback.entry, outcome, at: context.clock.now())
    }

    package func write(_ outcomes: [FallbackOutcome]) async throws(StoreError) {
        let now = context.clock.now()
        context.noteLate(try await context.store.finishFallbacks(outcomes, now: now))
        if outcomes.contains(where: \.isTold) { didReport() }
    }

    package func dueAgain(_ outcome: FallbackOutcome) -> Timestamp? {
        if case .givenBack(let due, _) = outcome.verdict { due } else { nil }
    }
}

extension ServiceLog {
    func fallback(_ event: StaticString, _ entry: OutboxEntry, _ outcome: String, at time: Timestamp) {
        let members: [Member] = [
            ("tenant", entry.tenant.text), ("apns-id", entry.apnsID.description), ("outcome", outcome),
        ]
        self.event(event, .warning, at: time, members)
    }
}

extension FallbackOutcome {
    fileprivate var isTold: Bool {
        if case .ended(telling: .some) = verdict { true } else { false }
    }
}
