import Envelope
import Networking
import PushStorePattern
import ServiceParts
import TestSupport
import Testing

@testable import PushService
@testable import PushStore

/// Quotas and delivery counts of two relays with one store.
struct TwoRelayCountTests {
    private final class Relay: Sendable {
        let dispatcher: Dispatcher
        let quota: QuotaTable
        private let tenant: TenantConfiguration

        init(_ site: DispatchSite, _ store: SQLiteStore, _ owned: ShardLeases) throws {
            dispatcher = try site.dispatcher(store, shards: ShardTenure(owned))
            quota = QuotaTable(dispatcher.context)
            guard let tenant = site.settings.tenant(site.tenant) else { throw StoreError.closed }
            self.tenant = tenant
        }

        private var now: Timestamp { dispatcher.context.clock.now() }
        private var loop: EventLoop { dispatcher.context.loop }

        func take(_ count: Int) async -> Bool {
            await loop.run { [self] in quota.take(count, of: tenant, now: now) == nil }
        }

        func used() async -> Int { await loop.run { [self] in tenant.quotaPerDay - quota.room(of: tenant, now: now) } }

        func add(_ count: Int, region: String) async {
            await loop.run { [self] in
                for _ in 0..<count {
                    dispatcher.ledger.add(\.sent, tenant: tenant.id, app: DispatchSite.bundleID, region: region)
                }
            }
        }

        func saveRates() async {
            await Task(executorPreference: loop) { [dispatcher] in await dispatcher.ledger.save() }.value
        }

        func restoreRates() async {
            await Task(executorPreference: loop) { [dispatcher] in await dispatcher.ledger.restore() }.value
        }

        func sent() async -> Int {
            await loop.run { [self] in dispatcher.ledger.todayByApp[DispatchSite.bundleID]?.sent ?? 0 }
        }
    }

    private func with(_ body: (_ one: Relay, _ other: Relay, _ next: () throws -> Relay) async throws -> Void)
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let even = ShardSet(Shard.all.filter { $0.index.isMultiple(of: 2) })
        let opener = store.opener
        let odd = ShardSet.all.subtracting(even)
        try await body(try Relay(site, store, opener.only(even)), try Relay(site, store, opener.only(odd))) {
            try Relay(site, store, opener)
        }
        await store.close()
    }

    @Test func `quotas add up, and each relay learns of the other's with its save`() async throws {
        try await with { one, other, next in
            for relay in [one, other] { try await relay.quota.load() }
            #expect(await one.take(3))
            #expect(await other.take(5))
            try await one.quota.save()
            #expect(await other.used() == 5, "until it saves")
            try await other.quota.save()
            #expect(await other.used() == 8)
            // It has nothing to save, and learns all the same.
            try await one.quota.save()
            #expect(await one.used() == 8)
            #expect(await one.take(2))
            // A kill loses what it has not saved, and no more.
            let third = try next()
            try await third.quota.load()
            #expect(await third.used() == 8)
            try await one.quota.save()
            #expect(await one.used() == 10)
        }
    }

    @Test func `a new day begins with nothing, whichever relay notices it first`() {
        var all = DailyQuota(day: 7, used: [.named("a"): 5])
        all.add(DailyQuota(day: 8, used: [.named("a"): 2]), since: DailyQuota(day: 7, used: [.named("a"): 4]))
        #expect(all == DailyQuota(day: 8, used: [.named("a"): 2]))
        all.add(DailyQuota(day: 7, used: [.named("a"): 9]), since: DailyQuota(day: 7))
        #expect(all == DailyQuota(day: 8, used: [.named("a"): 2]), "yesterday's use is over")
        all.add(DailyQuota(day: 8, used: [.named("a"): 4]), since: DailyQuota(day: 8, used: [.named("a"): 1]))
        #expect(all == DailyQuota(day: 8, used: [.named("a"): 5]))
    }

    @Test func `delivery counts add up, and a restart finds the sum`() async throws {
        try await with { one, other, next in
            for relay in [one, other] { await relay.restoreRates() }
            for round in 1...3 {
                await one.add(2, region: "CH")
                await other.add(3, region: round == 2 ? "DE" : "CH")
                await one.saveRates()
                await other.saveRates()
                #expect(await other.sent() == 5 * round)
            }
            #expect(await one.sent() == 12, "as of its own save")
            await one.saveRates()
            #expect(await one.sent() == 15)
            let third = try next()
            await third.restoreRates()
            #expect(await third.sent() == 15)
        }
    }
}
