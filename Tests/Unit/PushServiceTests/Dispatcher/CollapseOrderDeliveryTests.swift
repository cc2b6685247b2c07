import APNS
import Envelope
import Networking
import Platform
import PushStore
import PushStorePattern
import Testing

@testable import APNSSimulator
@testable import PushService

/// Two notifications with one collapse id, with a real store and a simulator behind TLS.
struct CollapseOrderDeliveryTests {
    private static func talk(_ number: UInt64, _ site: DispatchSite, lane: PushStore.Lane = .normal) throws -> NewEntry
    {
        var entry = try site.entry(number, to: "one", lane: lane)
        entry.collapseID = try CollapseID("talk")
        return entry
    }

    private static func offer(_ entry: NewEntry, _ site: DispatchSite, _ store: SQLiteStore) async throws -> SendOffer {
        guard case .found(let device)? = try await site.lookup("one", store) else { throw StoreError.closed }
        return SendOffer(
            tenant: site.tenant,
            entries: [entry],
            devices: [device],
            bundleID: .named(DispatchSite.bundleID),
            now: site.clock.now
        )
    }

    private static func send(
        _ offer: SendOffer,
        _ reservation: SendReservation,
        _ site: DispatchSite,
        _ store: SQLiteStore,
        _ dispatcher: Dispatcher
    ) async throws -> [EntryID] {
        let request = try OutboxRequest(tenant: site.tenant, idempotency: nil, entries: offer.entries)
        guard case .sending(let leases)? = try await store.enqueueSending([request], now: offer.now).first else {
            throw StoreError.closed
        }
        await site.loop.run { dispatcher.didStore(reservation, leases) }
        return leases.map(\.id)
    }

    /// Counts the answers in the log at each push to the simulator, which answers none before it may.
    private static func watchAnswers(_ site: DispatchSite, _ mayAnswer: Monitored<Bool>) -> Watched<[Int]> {
        let (counts, log) = (Watched<[Int]>([]), site.log)
        site.events.setHook { event in
            switch event {
            case .accepted, .injected: counts.change { $0.append(log.count(#""status":200"#)) }
            default: break
            }
            // This blocks the loop's own thread, none of the task pool.
            _ = mayAnswer.wait { $0 ? true : nil }
        }
        return counts
    }

    @Test(arguments: [true, false])
    func `a newer one goes out when the older is answered, from the queue and from a request`(_ isHandedOver: Bool)
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try await site.started(store, for: "one")
        await site.inject(.request(.slow(.milliseconds(500))), count: 1)
        // However late this thread is, the first push has no answer before the second was offered.
        let mayAnswer = Monitored(!isHandedOver)
        defer { mayAnswer.change { $0 = true } }
        let answers = Self.watchAnswers(site, mayAnswer)
        let entries = [try Self.talk(1, site), try Self.talk(2, site)]
        var ids: [EntryID] = []
        if isHandedOver {
            let first = try await Self.offer(entries[0], site, store)
            let reservation = try #require(await site.loop.run { dispatcher.reserve(first) })
            ids = try await Self.send(first, reservation, site, store, dispatcher)
            let second = try await Self.offer(entries[1], site, store)
            // An unused reservation would be waited for without an end.
            try #require(await site.loop.run { dispatcher.reserve(second) } == nil)
            ids += try await site.enqueue([entries[1]], store)
            mayAnswer.change { $0 = true }
        } else {
            ids = try await site.enqueue(entries, store)
        }
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .accepted }
        #expect(site.events.pushes == [1, 2].map { StorePattern.apnsID($0) })
        #expect(answers.value == [0, 1], "the older one had its answer")
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test(arguments: [true, false])
    func `one that waits in a less urgent lane does not come behind a newer one that passed it`(_ isHandedOver: Bool)
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try await site.started(store, for: "one")
        // It is on the disk, and the lane has not been read yet.
        let older = try Self.talk(1, site)
        await site.loop.run {
            dispatcher.willQueue([QueueNote(older)], tenant: site.tenant, now: site.clock.now)
        }
        let first = try await site.enqueue([older], store)
        let newer = try Self.talk(2, site, lane: .urgent)
        let second: [EntryID]
        if isHandedOver {
            let offer = try await Self.offer(newer, site, store)
            let reservation = try #require(await site.loop.run { dispatcher.reserve(offer) })
            second = try await Self.send(offer, reservation, site, store, dispatcher)
        } else {
            second = try await site.enqueue([newer], store)
            await site.loop.run { dispatcher.wake([.urgent]) }
        }
        try await site.until(second, store) { $0 == .accepted }
        await site.wake(dispatcher)
        try await site.until(first, store) { $0.isFinal }
        #expect(try await site.states(first, store) == [.dead(.superseded)])
        #expect(site.events.pushes == [StorePattern.apnsID(2)])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
