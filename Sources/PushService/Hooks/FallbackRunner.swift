import APNS
package import Envelope
package import PushStore
import Synchronization
import Transport

/// Fires fallbacks: claims on disk those that are due, and sends each once. What was claimed when the process died does not
/// fire again; what could not be sent because no connection came about is tried for a while, and nothing is sent again once
/// a byte of it was out. Lives on the loop.
package actor FallbackRunner: DueRunner {
    package static let storeFailureEvent: StaticString = "fallbacks-store-failed"
    private static let claimCount = 64
    private static let heldCountMaxOfTenant = 512

    /// How long a claimed one is tried, and how it waits: a text that comes much later helps nobody.
    package struct Patience: Sendable {
        package var wholeMilliseconds: UInt64 = 120_000
        package var firstWaitMilliseconds: UInt64 = 1_000

        package init() {}
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.loop.asUnownedSerialExecutor() }
    package nonisolated let context: ServiceContext
    private let sender: WebhookSender
    private let patience: Patience
    private let didReport: @Sendable () -> Void
    package var turn: DueTurn
    /// How many of each tenant's are held.
    private var held: [String: Int] = [:]
    /// Claimed and not sent yet.
    package private(set) var heldCount = 0
    /// A claim is written down before anything is sent.
    package let isFinishing = false

    /// - Parameters:
    ///   - context: the service's.
    ///   - sender: may be that of others as well.
    ///   - patience: with what was claimed.
    ///   - didReport: called when there is something for `HookRunner`.
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
        turn = DueTurn(context)
    }

    // MARK: Claiming

    package func takeBatch(now: Timestamp) async throws(StoreError) -> Bool {
        let entries = try await context.store.claimFallbacks(limit: Self.claimCount, now: now)
        for entry in entries { take(entry, now: now) }
        return entries.count == Self.claimCount
    }

    package func nextDue() async throws(StoreError) -> Timestamp? { try await context.store.nextFallback() }

    /// It is claimed: from here on it is sent by this process or by none.
    private func take(_ entry: OutboxEntry, now: Timestamp) {
        let fallback = ClaimedFallback(entry, at: now)
        guard held[fallback.tenant, default: 0] < Self.heldCountMaxOfTenant else {
            return log("fallback-failed", fallback, "too many wait")
        }
        held[fallback.tenant, default: 0] += 1
        heldCount += 1
        // It ends with its post, which `WebhookSender.stop` ends at the latest.
        Task(executorPreference: context.loop) { await self.fire(fallback) }
    }

    // MARK: Sending

    private func fire(_ fallback: ClaimedFallback) async {
        guard let configuration = await configuration(of: fallback.entry, tenant: fallback.tenant) else {
            log("fallback-failed", fallback, "its app has none")
            return end(fallback)
        }
        let body = FallbackBody.bytes(fallback.entry, configuration, claimed: fallback.claimed)
        let id = FallbackBody.deliveryID(fallback.entry)
        let post = WebhookPost(to: configuration.delivery, deliveryID: id, body: body)
        let result = await sender.send(post, of: fallback.tenant, .urgent)
        switch result {
        case .answered(200...299):
            context.metrics.withLock { $0.didFallBack() }
            await report(fallback)
            end(fallback)
        case .answered, .lost, .notSent(.cancelled):
            log("fallback-failed", fallback, result.words)
            end(fallback)
        case .notSent:
            again(fallback, after: result)
        }
    }

    /// Nothing of it went out: it may be tried again.
    private func again(_ fallback: ClaimedFallback, after result: WebhookResult) {
        let wait = fallback.wait(patience)
        let end = fallback.claimed.advanced(by: .milliseconds(Int64(clamping: patience.wholeMilliseconds)))
        guard !turn.isClosed, context.clock.now().advanced(by: wait) < end else {
            log("fallback-failed", fallback, result.words)
            return self.end(fallback)
        }
        context.loop.schedule(after: wait) {
            self.assumeIsolated { runner in
                guard !runner.turn.isClosed else {
                    runner.log("fallback-failed", fallback, result.words)
                    return runner.end(fallback)
                }
                // As the first time.
                Task(executorPreference: runner.context.loop) { await runner.fire(fallback.triedAgain) }
            }
        }
    }

    /// An app's entry does not say of which environment it is; its device does.
    private func configuration(of entry: OutboxEntry, tenant: String) async -> FallbackConfiguration? {
        let key = DeviceKey(tenant: entry.tenant, device: entry.device)
        // A device that is gone, or cannot be read: the app is looked for in both.
        let found = try? await context.store.devices([key]).first
        let environment: APNSEnvironment? =
            if case .found(let device) = found { device.environment } else { nil }
        let settings = context.settings
        let topic = entry.topic.description
        let suffix = entry.pushType.topicSuffix
        let bundleID = !suffix.isEmpty && topic.hasSuffix(suffix) ? String(topic.dropLast(suffix.count)) : topic
        let environments = environment.map { [$0] } ?? [.production, .sandbox]
        return environments.lazy.compactMap { settings.app(bundleID, environment: $0, of: tenant)?.app.fallback }.first
    }

    private func report(_ fallback: ClaimedFallback) async {
        let now = context.clock.now()
        guard context.settings.tenant(fallback.tenant)?.webhook != nil else { return }
        let hook = NewHook(tenant: fallback.entry.tenant, entry: fallback.entry.id, kind: .fallback)
        do throws(StoreError) {
            _ = try await context.store.report([hook], now: now)
            didReport()
        } catch {
            noteFailure(error)
        }
    }

    private func end(_ fallback: ClaimedFallback) {
        held[fallback.tenant, default: 1] -= 1
        if held[fallback.tenant] == 0 { held[fallback.tenant] = nil }
        heldCount -= 1
        didRelease()
    }

    private func log(_ event: StaticString, _ fallback: ClaimedFallback, _ outcome: String) {
        let members: [(StaticString, String)] = [
            ("tenant", fallback.tenant), ("apns-id", fallback.entry.apnsID.description), ("outcome", outcome),
        ]
        context.log.event(event, at: context.clock.now(), members)
    }
}

/// A fallback that this process has to send, or nobody does.
private struct ClaimedFallback: Sendable {
    let entry: OutboxEntry
    let tenant: String
    let claimed: Timestamp
    private var tryCount = 1

    init(_ entry: OutboxEntry, at claimed: Timestamp) {
        self.entry = entry
        self.claimed = claimed
        tenant = String(decoding: entry.tenant.bytes, as: UTF8.self)
    }

    var triedAgain: ClaimedFallback {
        var other = self
        other.tryCount += 1
        return other
    }

    /// Doubles.
    func wait(_ patience: FallbackRunner.Patience) -> Duration {
        .milliseconds(Int64(clamping: patience.firstWaitMilliseconds) << Int64(min(tryCount - 1, 16)))
    }
}
