import APNS
import Envelope
import Networking
import PushStore
import PushStorePattern
import Testing

@testable import APNSSimulator
@testable import PushService

/// Hand-over from a reservation to APNs, with a real store and a simulator behind TLS.
struct DispatcherHandOverTests {
    private static func offer(
        _ number: UInt64,
        to name: String,
        _ site: DispatchSite,
        _ store: SQLiteStore
    ) async throws -> SendOffer {
        guard case .found(let device)? = try await site.lookup(name, store) else { throw StoreError.closed }
        return SendOffer(
            tenant: site.tenant,
            entries: [try site.entry(number, to: name)],
            devices: [device],
            bundleID: .named(DispatchSite.bundleID),
            now: site.clock.now
        )
    }

    private static func reserve(_ offer: SendOffer, _ dispatcher: Dispatcher, _ site: DispatchSite) async
        -> SendReservation?
    {
        await site.loop.run { dispatcher.reserve(offer) }
    }

    private static func store(_ offer: SendOffer, _ site: DispatchSite, _ store: SQLiteStore) async throws -> [Lease] {
        let request = try OutboxRequest(tenant: site.tenant, idempotency: nil, entries: offer.entries)
        guard case .sending(let leases)? = try await store.enqueueSending([request], now: offer.now).first else {
            throw StoreError.closed
        }
        return leases
    }

    @Test func `what has room goes out once it is stored, without a look at the queue, and ends like any other`()
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try await site.started(store, for: "one")
        let offer = try await Self.offer(1, to: "one", site, store)
        let reservation = try #require(await Self.reserve(offer, dispatcher, site))
        #expect(site.events.pushes.isEmpty, "nothing goes out before it is stored")
        let leases = try await Self.store(offer, site, store)
        await site.loop.run { dispatcher.didStore(reservation, leases) }
        try await site.until(leases.map(\.id), store) { $0 == .accepted }
        #expect(site.events.pushes == [StorePattern.apnsID(1)])
        #expect(site.log.count(#""status":200"#) == 1)
        let counts = await site.loop.run { dispatcher.ledger.todayByApp[DispatchSite.bundleID] }
        #expect(counts?.accepted == 1 && counts?.sent == 1)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `what was stored when the process died is sent by the next one, with the same apns-id`() async throws {
        let site = try await DispatchSite()
        var store = try site.openStore()
        var dispatcher = try await site.started(store, for: "one")
        let offer = try await Self.offer(1, to: "one", site, store)
        _ = try #require(await Self.reserve(offer, dispatcher, site))
        let leases = try await Self.store(offer, site, store)
        // It is on the disk, and the dispatcher has no notice of it.
        await dispatcher.drain(within: .zero)
        await store.close()
        #expect(site.events.pushes.isEmpty)
        store = try site.openStore()
        #expect(store.openingReport.interruptedCount == 1)
        dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        await site.wake(dispatcher)
        try await site.until(leases.map(\.id), store) { $0 == .accepted }
        #expect(site.events.pushes == [StorePattern.apnsID(1)])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `what comes after something queued for its device is queued behind it, and others are not`()
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try await site.started(store, for: "one", "two")
        let first = try await Self.offer(1, to: "one", site, store)
        await site.loop.run {
            dispatcher.willQueue(first.entries.map { QueueNote($0) }, tenant: site.tenant, now: first.now)
        }
        let second = try await Self.offer(2, to: "one", site, store)
        #expect(await Self.reserve(second, dispatcher, site) == nil)
        let other = try #require(
            await Self.reserve(try await Self.offer(3, to: "two", site, store), dispatcher, site)
        )
        await site.loop.run { dispatcher.didNotStore(other) }
        let ids = try await site.enqueue(first.entries + second.entries, store)
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .accepted }
        #expect(site.events.pushes == [1, 2].map { StorePattern.apnsID($0) })
        let later = try #require(
            await Self.reserve(try await Self.offer(4, to: "one", site, store), dispatcher, site),
            "both have gone"
        )
        await site.loop.run { dispatcher.didNotStore(later) }
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `before the start, after it with an old queue, and with a suspended credential nothing has room`()
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await site.register("one", store)
        let offer = try await Self.offer(1, to: "one", site, store)
        #expect(await Self.reserve(offer, dispatcher, site) == nil)
        try await dispatcher.start(try site.plan())
        // The first one was noted as queued, and is never taken.
        await site.ready(dispatcher)
        try await site.register("two", store)
        let other = try await Self.offer(2, to: "two", site, store)
        let lane = try #require(
            await site.loop.run {
                dispatcher.lanes.entry(
                    tenant: .named("acme"),
                    bundleID: .named(DispatchSite.bundleID),
                    environment: .sandbox
                )?
                .number
            }
        )
        await site.loop.run {
            dispatcher.suspend(SuspensionTable.Scope(lane: lane, bundleID: nil), .invalidProviderToken)
        }
        #expect(await Self.reserve(other, dispatcher, site) == nil)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `what comes after a replay is not sent before it`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try await site.started(store, for: "one")
        await site.inject(.request(.rejected(.badCollapseID)), count: 1)
        let letter = try await site.enqueue([try site.entry(1, to: "one")], store)
        await site.wake(dispatcher)
        try await site.until(letter, store) { $0 == .dead(.rejected) }
        let dead = try #require(try await store.entries(letter, tenant: site.tenant)[0])
        let deadline = site.clock.now.advanced(by: .seconds(900))
        let replay = Replay(id: letter[0], apnsID: StorePattern.apnsID(2), deadline: deadline)
        await site.loop.run {
            dispatcher.willQueue([QueueNote(dead, replay)], tenant: site.tenant, now: site.clock.now)
        }
        let later = try await Self.offer(3, to: "one", site, store)
        #expect(await Self.reserve(later, dispatcher, site) == nil)
        guard case .replayed(let copy) = try await store.replay([replay], tenant: site.tenant, now: later.now)[0] else {
            throw StoreError.closed
        }
        let ids = try await site.enqueue(later.entries, store)
        await site.wake(dispatcher)
        try await site.until([copy] + ids, store) { $0 == .accepted }
        #expect(site.events.pushes == [1, 2, 3].map { StorePattern.apnsID($0) })
        let next = try await Self.offer(4, to: "one", site, store)
        let reservation = try #require(await Self.reserve(next, dispatcher, site), "both have gone")
        await site.loop.run { dispatcher.didNotStore(reservation) }
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a device's rate that runs out in one turn queues the rest, which goes out later in its order`()
        async throws
    {
        let site = try await DispatchSite(limits: #"{"push-burst-of-device": 2, "pushes-per-minute-of-device": 60}"#)
        let store = try site.openStore()
        let dispatcher = try await site.started(store, for: "one")
        var offers: [SendOffer] = []
        for number: UInt64 in 1...6 { offers.append(try await Self.offer(number, to: "one", site, store)) }
        let turn = offers
        let reservations = await site.loop.run { turn.map { dispatcher.reserve($0) } }
        #expect(reservations.map { $0 != nil } == [true, true, false, false, false, false])
        var ids: [EntryID] = []
        for (offer, reservation) in zip(offers, reservations) {
            guard let reservation else {
                ids += try await site.enqueue(offer.entries, store)
                continue
            }
            let leases = try await Self.store(offer, site, store)
            ids += leases.map(\.id)
            await site.loop.run { dispatcher.didStore(reservation, leases) }
        }
        try await site.until(Array(ids.prefix(2)), store) { $0 == .accepted }
        for count in 2...6 {
            // Each second lets one more out; a new one has no room meanwhile, whatever its device's bucket says.
            await site.wake(dispatcher)
            try await site.until(Array(ids.prefix(count)), store) { $0 == .accepted }
            #expect(try await site.states(Array(ids.suffix(6 - count)), store).allSatisfy { $0?.isFinal == false })
            let late = try await Self.offer(90 + UInt64(count), to: "one", site, store)
            let lateReservation = await Self.reserve(late, dispatcher, site)
            #expect(lateReservation == nil, "\(count)")
            await site.loop.run { dispatcher.didNotQueue(late.entries.map { QueueNote($0) }) }
            await site.advance(seconds: 1, dispatcher)
        }
        #expect(site.events.pushes == (1...6).map { StorePattern.apnsID($0) })
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `what was put off before it was sent is still not overtaken`() async throws {
        let site = try await DispatchSite(limits: #"{"push-burst-of-device": 1, "pushes-per-minute-of-device": 1}"#)
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        await site.holdNothing(dispatcher)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        await site.ready(dispatcher)
        let entries = try (1...2).map { try site.entry($0, to: "one") }
        let notes = entries.map { QueueNote($0) }
        await site.loop.run { dispatcher.willQueue(notes, tenant: site.tenant, now: site.clock.now) }
        let ids = try await site.enqueue(entries, store)
        await site.wake(dispatcher)
        // The second is back in the queue, and a minute later its device would have room for another.
        while true {
            let found = try await store.entries(ids, tenant: site.tenant).compactMap(\.self)
            try #require(found.count == 2)
            if found[0].state == .accepted, found[1].waitCause == .device { break }
            await Task.yield()
        }
        site.clock.advance(milliseconds: 60_000)
        #expect(await Self.reserve(try await Self.offer(3, to: "one", site, store), dispatcher, site) == nil)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
