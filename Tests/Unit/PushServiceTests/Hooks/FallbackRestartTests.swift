import Envelope
import HTTP
import Networking
import Platform
import PushStorePattern
import TestSupport
import Testing

@testable import PushService
@testable import PushStore

/// Many fallbacks due at once in a real store, and a service that restarts over them.
struct FallbackRestartTests {
    private static let count = 10_000

    private let site: HookSite
    private let folder: TemporaryFolder

    init() throws {
        site = try HookSite()
        folder = try TemporaryFolder()
    }

    private func open() throws -> SQLiteStore {
        try SQLiteStore(path: folder.path("store"), key: try StorePattern.key(), now: HookSite.now)
    }

    /// Adds notifications of two tenants that APNs has accepted, and whose time for a receipt is over.
    private func arm(in store: SQLiteStore) async throws {
        let past = StorePattern.start
        for start in stride(from: 0, to: Self.count, by: 500) {
            let tenant = try TenantID(start % 1_000 == 0 ? "acme" : "beta")
            let entries = try (start..<start + 500).map { number in
                var entry = try StorePattern.entry(UInt64(number), device: number)
                entry.fallbackAfter = .seconds(1)
                return entry
            }
            let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: entries)
            guard case .sending(let leases) = try await store.enqueueSending([request], now: past)[0] else { continue }
            let attempt = Attempt(time: past, connection: .answered, status: 200)
            let outcomes = leases.map { Outcome(lease: $0, attempt: attempt, verdict: .accepted) }
            _ = try await store.finish(outcomes, now: past)
        }
    }

    @Test func `of ten thousand each is sent once, also where the service ends and starts in between`() async throws {
        let sent = Watched<[String]>([])
        let running = Guarded<FallbackRunner?>(nil)
        let (server, port) = try await site.receiver { request in
            sent.change { $0.append(request.value(of: "webhook-id") ?? "") }
            // From here, on the loop of both: this test's task may run again when all is sent.
            if sent.value.count == Self.count / 3 { running.withLock { $0 }?.assumeIsolated { $0.close() } }
            return HTTPAnswer(status: 204)
        }
        let delivery = site.webhook(port: port, isPlain: true)
        let fallback = FallbackConfiguration(kind: .sms, delivery: delivery, afterSeconds: 60, text: "A message")
        let settings = try site.settings(["acme": nil, "beta": nil], fallback: fallback)
        let first = try open()
        try await arm(in: first)
        let before = TenantHooks(site.context(settings, store: first), way: HookSite.way())
        running.withLock { $0 = before.fallbacks }
        before.start()
        await sent.when { $0.count >= Self.count / 3 }
        await before.drain(patience: .seconds(3_600))
        await first.close()
        let countBefore = sent.value.count
        #expect(countBefore < Self.count)
        let second = try open()
        #expect(second.openingReport.uncertainFallbacks.isEmpty)
        let context = site.context(settings, store: second)
        let after = TenantHooks(context, way: HookSite.way())
        after.start()
        await sent.when { $0.count >= Self.count }
        await after.drain(patience: .seconds(3_600))
        #expect(try await second.nextFallback() == nil)
        await second.close()
        #expect(sent.value.count == Self.count && Set(sent.value).count == Self.count)
        #expect(site.log.value.isEmpty)
        #expect(context.metrics.withLock { $0.fallbacks } == [UInt64(Self.count - countBefore), 0, 0])
        await server.close()
    }
}
