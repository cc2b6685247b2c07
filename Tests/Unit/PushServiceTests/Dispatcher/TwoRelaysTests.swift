import APNS
import Envelope
import Networking
import Platform
import PushStorePattern
import ServiceParts
import TestSupport
import Testing

@testable import APNSSimulator
@testable import PushService
@testable import PushStore

/// Two dispatchers on one store, each with the shards that it leases, and a simulator as APNs.
struct TwoRelaysTests {
    /// The lease clock of store and relays, in milliseconds; a call of the store may take time.
    private final class LeaseClock: Sendable {
        private let state = Guarded((now: Int64(1_000), step: Int64(0)))

        var now: Int64 { state.withLock { $0.now } }
        func advance(milliseconds: Int64) { state.withLock { $0.now += milliseconds } }
        func setStep(milliseconds: Int64) { state.withLock { $0.step = milliseconds } }
        /// As the store reads it.
        func read() -> Int64 {
            state.withLock { state in
                state.now += state.step
                return state.now
            }
        }
    }

    private final class Stage: Sendable {
        let site: DispatchSite
        let store: SQLiteStore
        let leases: LeaseClock
        let one: Relay
        let other: Relay
        let failure = Guarded<StoreError?>(nil)

        init() async throws {
            let site = try await DispatchSite()
            let leases = LeaseClock()
            var settings = StoreSettings()
            settings.leaseClock = { leases.read() }
            settings.refusal = { [failure] in failure.withLock { $0 } }
            self.site = site
            self.leases = leases
            store = try SQLiteStore(
                path: site.folder.path("store.sqlite"),
                key: try StorePattern.key(),
                settings: settings,
                now: site.clock.now
            )
            one = try Relay(site, store, ShardTenure(store.openingReport.leases) { leases.now })
            let none = ShardLeases(relay: RelayID(high: 2, low: 2))
            other = try Relay(site, store, ShardTenure(none) { leases.now })
        }

        func start() async throws {
            for relay in [one, other] {
                try await relay.dispatcher.start(try site.plan())
                await site.ready(relay.dispatcher)
                try await site.connect(relay.dispatcher)
            }
        }

        func end() async {
            for relay in [one, other] { await relay.dispatcher.drain(within: .seconds(600)) }
            await store.close()
        }

        func wake() async {
            for relay in [one, other] { await site.wake(relay.dispatcher) }
        }

        func register(_ names: [String]) async throws { for name in names { try await site.register(name, store) } }

        func offer(_ number: UInt64, to name: String) async throws -> SendOffer {
            guard case .found(let device)? = try await site.lookup(name, store) else { throw StoreError.closed }
            return SendOffer(
                tenant: site.tenant,
                entries: [try site.entry(number, to: name)],
                devices: [device],
                bundleID: .named(DispatchSite.bundleID),
                now: site.clock.now
            )
        }

        func sentCount(_ relay: Relay) async -> Int {
            await site.loop.run { relay.dispatcher.ledger.todayByApp[DispatchSite.bundleID]?.sent ?? 0 }
        }

        func reserve(_ offer: SendOffer, _ relay: Relay) async -> SendReservation? {
            await site.loop.run { relay.dispatcher.reserve(offer) }
        }

        /// True if a notification has to queue.
        func refuses(_ offer: SendOffer, _ relay: Relay) async -> Bool {
            guard let reservation = await reserve(offer, relay) else { return true }
            await site.loop.run { relay.dispatcher.didNotStore(reservation) }
            return false
        }

        func storeSending(_ offer: SendOffer, by relay: Relay) async throws -> SendingResult {
            let request = try OutboxRequest(tenant: site.tenant, idempotency: nil, entries: offer.entries)
            return try await store.enqueueSending([request], by: relay.shards.live, now: offer.now)[0]
        }
    }

    private final class Relay: Sendable {
        let dispatcher: Dispatcher
        let keeper: ShardKeeper
        let shards: ShardTenure
        private let loop: EventLoop

        init(_ site: DispatchSite, _ store: SQLiteStore, _ shards: ShardTenure) throws {
            let dispatcher = try site.dispatcher(store, shards: shards)
            self.dispatcher = dispatcher
            self.shards = shards
            loop = site.loop
            keeper = ShardKeeper(dispatcher.context) { dispatcher.willTakeShards() }
        }

        func keep() async {
            await Task(executorPreference: loop) { [keeper] in await keeper.keep() }.value
        }
    }

    private static let even = ShardSet(Shard.all.filter { $0.index.isMultiple(of: 2) })

    @Test func `each sends what is in its own shards, and everything goes out once`() async throws {
        let stage = try await Stage()
        let names = (0..<40).map { "d\($0)" }
        try await stage.register(names)
        try await stage.start()
        let given = stage.one.shards.all.only(Self.even)
        for lease in given.all { stage.one.shards.didLose(lease) }
        try await stage.store.giveBack(given)
        await stage.other.keep()
        #expect(stage.other.shards.live.shards == Self.even && stage.one.shards.live.shards.count == 32)
        let entries = try names.enumerated().map { try stage.site.entry(UInt64($0.offset + 1), to: $0.element) }
        let ids = try await stage.site.enqueue(entries, stage.store)
        await stage.wake()
        try await stage.site.until(ids, stage.store) { $0 == .accepted }
        let pushes = stage.site.events.pushes
        #expect(pushes.count == 40 && Set(pushes) == Set(entries.map(\.apnsID)))
        for (relay, isEven) in [(stage.one, false), (stage.other, true)] {
            #expect(await stage.sentCount(relay) == ids.count { Self.even.contains($0.shard) == isEven })
        }
        await stage.end()
    }

    @Test func `a relay that stands still between store and push is replaced, and sends nothing when it goes on`()
        async throws
    {
        let stage = try await Stage()
        try await stage.register(["d"])
        try await stage.start()
        await stage.one.keep()
        let offer = try await stage.offer(1, to: "d")
        let reservation = try #require(await stage.reserve(offer, stage.one))
        guard case .sending(let leases) = try await stage.storeSending(offer, by: stage.one) else {
            throw StoreError.closed
        }
        await stage.other.keep()
        #expect(stage.other.shards.all.isEmpty, "its lease has not ended")
        stage.leases.advance(milliseconds: 30_000)
        await stage.other.keep()
        #expect(stage.other.shards.live.shards == .all)
        await stage.wake()
        try await stage.site.until(leases.map(\.id), stage.store) { $0 == .accepted }
        #expect(stage.site.events.pushes == [StorePattern.apnsID(1)])
        // It goes on, with a clock that has stood still as well: only the store knows.
        await stage.site.loop.run { stage.one.dispatcher.didStore(reservation, leases) }
        await stage.site.until { stage.one.dispatcher.callsUnderWay == 0 && stage.one.dispatcher.flow.isIdle }
        #expect(stage.site.events.pushes.count == 1)
        #expect(stage.site.log.count(#""event":"late-owner""#) == 1)
        #expect(await stage.refuses(try await stage.offer(2, to: "d"), stage.one))
        await stage.one.keep()
        #expect(stage.one.shards.all.isEmpty && stage.site.log.count(#""event":"shards-lost""#) == 1)
        await stage.end()
    }

    @Test func `without a deadline of its own a late owner still stores nothing as sent, and takes nothing`()
        async throws
    {
        let stage = try await Stage()
        try await stage.register(["d"])
        try await stage.start()
        // The first relay never renews, so that its own deadline is for ever; its lease in the store ends.
        _ = try await stage.store.renew(stage.one.shards.all, lasting: .seconds(30))
        let offer = try await stage.offer(1, to: "d")
        let reservation = try #require(await stage.reserve(offer, stage.one))
        stage.leases.advance(milliseconds: 30_000)
        await stage.other.keep()
        guard case .enqueued(.stored(let ids)) = try await stage.storeSending(offer, by: stage.one) else {
            Issue.record("a late owner sends")
            return
        }
        await stage.site.loop.run { stage.one.dispatcher.didNotStore(reservation) }
        await stage.site.wake(stage.one.dispatcher)
        await stage.site.until { stage.one.dispatcher.callsUnderWay == 0 && stage.one.dispatcher.flow.isIdle }
        await stage.site.wake(stage.other.dispatcher)
        try await stage.site.until(ids, stage.store) { $0 == .accepted }
        #expect(stage.site.events.pushes == [StorePattern.apnsID(1)])
        #expect(await stage.sentCount(stage.one) == 0)
        await stage.end()
    }

    @Test func `what one relay parked goes out from the one that takes its shards over`() async throws {
        let stage = try await Stage()
        try await stage.register(["d"])
        try await stage.start()
        await stage.site.inject(.request(.rejected(.topicDisallowed)), count: 1)
        let ids = try await stage.site.enqueue([try stage.site.entry(1, to: "d")], stage.store)
        await stage.site.wake(stage.one.dispatcher)
        try await stage.site.until(ids, stage.store) { $0 == .parked }
        let given = stage.one.shards.all
        for lease in given.all { stage.one.shards.didLose(lease) }
        try await stage.store.giveBack(given)
        await stage.other.keep()
        try await stage.site.until(ids, stage.store) { $0 == .accepted }
        #expect(await stage.sentCount(stage.other) == 1)
        await stage.end()
    }

    @Test func `what was queued before a takeover goes out before what comes after`() async throws {
        let stage = try await Stage()
        try await stage.register(["d"])
        try await stage.start()
        let ids = try await stage.site.enqueue([try stage.site.entry(1, to: "d")], stage.store)
        _ = try await stage.store.renew(stage.one.shards.all, lasting: .seconds(30))
        stage.leases.advance(milliseconds: 30_000)
        await stage.other.keep()
        let offer = try await stage.offer(2, to: "d")
        #expect(await stage.refuses(offer, stage.other), "older ones may be queued")
        let more = try await stage.site.enqueue(offer.entries, stage.store)
        await stage.site.wake(stage.other.dispatcher)
        try await stage.site.until(ids + more, stage.store) { $0 == .accepted }
        #expect(stage.site.events.pushes == [1, 2].map { StorePattern.apnsID($0) })
        await stage.end()
    }

    @Test func `what a relay stores for another's shard goes out by its owner at once, before what comes after`()
        async throws
    {
        let stage = try await Stage()
        let names = (0..<8).map { "d\($0)" }
        try await stage.register(names)
        try await stage.start()
        // The other relay owns nothing, and no clock moves, so that nothing polls.
        for (index, name) in names.enumerated() {
            let number = UInt64(2 * index + 1)
            let first = try await stage.offer(number, to: name)
            #expect(await stage.refuses(first, stage.other), "only an owner sends at once")
            let ids = try await stage.site.enqueue(first.entries, stage.store, from: stage.other.shards.relay)
            let second = try await stage.offer(number + 1, to: name)
            if await !stage.refuses(second, stage.one) {
                #expect(try await stage.site.states(ids, stage.store) != [.queued], "it passes a queued one")
            }
            let more = try await stage.site.enqueue(second.entries, stage.store, from: stage.other.shards.relay)
            try await stage.site.until(ids + more, stage.store) { $0 == .accepted }
        }
        #expect(stage.site.events.pushes == (1...16).map { StorePattern.apnsID($0) })
        #expect(await stage.sentCount(stage.other) == 0)
        await stage.end()
    }

    @Test func `a drain gives the shards back, and another relay need not wait`() async throws {
        let stage = try await Stage()
        await stage.one.keep()
        await stage.other.keep()
        #expect(stage.other.shards.all.isEmpty)
        await stage.one.keeper.drain(until: .now())
        #expect(stage.one.shards.all.isEmpty)
        await stage.other.keep()
        #expect(stage.other.shards.live.shards == .all)
        #expect(stage.site.log.count(#""event":"shards-taken""#) == 1)
        await stage.store.close()
    }

    @Test func `a deadline counts from before the store was asked, and ends before the lease`() async throws {
        let stage = try await Stage()
        stage.leases.setStep(milliseconds: 4_000)
        let asked = stage.leases.now
        await stage.one.keep()
        stage.leases.setStep(milliseconds: 0)
        #expect(stage.leases.now == asked + 8_000, "the two answers took so long")
        stage.leases.advance(milliseconds: 16_999)
        let lease = try #require(stage.one.shards.all.all.first)
        #expect(stage.one.shards.live.shards == .all && stage.one.shards.isLive(lease))
        stage.leases.advance(milliseconds: 1)
        #expect(stage.one.shards.live.isEmpty && !stage.one.shards.isLive(lease))
        // No other relay took them: they come back.
        await stage.one.keep()
        #expect(stage.one.shards.live.shards == .all && stage.one.shards.isLive(lease))
        await stage.store.close()
    }

    @Test func `while the store refuses renewals, work goes on to the deadline, and after that when they succeed`()
        async throws
    {
        let stage = try await Stage()
        await stage.one.keep()
        stage.failure.withLock { $0 = .full }
        stage.leases.advance(milliseconds: 24_999)
        for _ in 0..<3 { await stage.one.keep() }
        #expect(stage.one.shards.live.shards == .all)
        stage.leases.advance(milliseconds: 1)
        #expect(stage.one.shards.live.isEmpty)
        #expect(stage.site.log.count(#""event":"shards-not-renewed""#) == 1)
        stage.failure.withLock { $0 = nil }
        await stage.one.keep()
        #expect(stage.one.shards.live.shards == .all)
        await stage.store.close()
    }
}
