import APNS
import APNSProvider
import Envelope
import Networking
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import APNSSimulator
@testable import PushService

/// Pushes without a stream are not in flight: with APNs out of reach, at a drain, and in a process that dies.
struct UnreachableTests {
    /// Calls: without a collapse id, so that none is sent again that may have arrived.
    private static func calls(_ count: UInt64, _ site: DispatchSite) throws -> [NewEntry] {
        try (1...count).map { number in
            var call = try site.entry(number, to: "one", lane: .urgent)
            call.collapseID = nil
            call.deadline = site.clock.now.advanced(by: .seconds(30))
            return call
        }
    }

    private static func client(_ dispatcher: Dispatcher, _ site: DispatchSite) async throws -> APNSClient {
        let entry = await site.loop.run {
            dispatcher.lanes.entry(
                tenant: .named("acme"),
                bundleID: .named(DispatchSite.bundleID),
                environment: .sandbox
            )?
            .client
        }
        return try #require(entry)
    }

    @Test(arguments: [true, false])
    func `with APNs out of reach no call is marked, and the next process sends all of them`(_ isDrained: Bool)
        async throws
    {
        // A port that accepts connections, and stays silent.
        let port = try HeldPort.silent(backlog: 8)
        let site = try await DispatchSite(limits: #"{"push-burst-of-device": 100}"#, otherPort: port.number)
        var store = try site.openStore()
        let first = try site.dispatcher(store)
        try await first.start(try site.plan())
        try await site.register("one", store)
        let ids = try await site.enqueue(try Self.calls(15, site), store)
        await site.wake(first)
        // All of them are taken, and the client is connecting.
        await site.until { first.pendings.count == 15 && first.callsUnderWay == 0 }
        #expect(try await site.states(ids, store).allSatisfy { $0 == .queued })
        await first.drain(within: isDrained ? .seconds(600) : .zero)
        await store.close()
        site.clock.advance(milliseconds: 10_000)
        store = try site.openStore()
        #expect(store.openingReport.interruptedCount == 0)
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan(port: site.simulator.pushPort))
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0.isFinal }
        #expect(try await site.states(ids, store).allSatisfy { $0 == .accepted })
        #expect(site.events.pushes.count == 15)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `what is offered while there is no connection is queued, not stored as on its way`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        await site.ready(dispatcher)
        guard case .found(let device)? = try await site.lookup("one", store) else { throw StoreError.closed }
        let offer = SendOffer(
            tenant: site.tenant,
            entries: [try site.entry(1, to: "one")],
            devices: [device],
            bundleID: .named(DispatchSite.bundleID),
            now: site.clock.now
        )
        let early = await site.loop.run { dispatcher.reserve(offer) }
        #expect(early == nil)
        await site.loop.run { dispatcher.didNotQueue(offer.entries.map { QueueNote($0) }) }
        try await site.connect(dispatcher)
        let reservation = try #require(await site.loop.run { dispatcher.reserve(offer) })
        await site.loop.run { dispatcher.didNotStore(reservation) }
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `where nothing answers it is put off until later, says so, and goes out when something does`()
        async throws
    {
        let port = try HeldPort.deaf()
        let site = try await DispatchSite(otherPort: port.number)
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        let ids = try await site.enqueue([try site.entry(1, to: "one")], store)
        // The pauses between connects grow until waiting for one makes no sense.
        while try await store.entries(ids, tenant: site.tenant)[0]?.waitCause != .connection {
            await site.advance(seconds: 1, dispatcher)
        }
        let entry = try #require(try await store.entries(ids, tenant: site.tenant)[0])
        #expect(entry.state == .queued && entry.attemptCount == 0)
        try await dispatcher.reload(try site.plan(port: site.simulator.pushPort))
        while try await store.entries(ids, tenant: site.tenant)[0]?.state != .accepted {
            await site.advance(seconds: 1, dispatcher)
        }
        #expect(site.events.pushes == [StorePattern.apnsID(1)])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a drain gives back what is marked and not written, and it is due at once`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try await site.started(store, for: "one")
        let ids = try await site.enqueue(try Self.calls(3, site), store)
        let marksMax = dispatcher.flow.bounds.writesAtOnceMax
        await site.loop.run { dispatcher.flow.marksUnderWay = marksMax }
        await site.wake(dispatcher)
        await site.until { dispatcher.flow.waiting[Lane.urgent.index].fresh.count == 3 }
        // The drain begins while the marks are being written.
        await site.loop.run {
            dispatcher.flow.marksUnderWay = 0
            dispatcher.handleTurnEnd()
            dispatcher.flow.drain()
        }
        await dispatcher.drain(within: .seconds(600))
        let entries = try await store.entries(ids, tenant: site.tenant).compactMap(\.self)
        #expect(entries.allSatisfy { $0.state == .queued && $0.due <= site.clock.now && $0.attemptCount == 0 })
        #expect(site.events.pushes.isEmpty)
        await store.close()
    }

    @Test func `a call above a GOAWAY's last stream was not sent: it is tried again, and nothing is unknown of it`()
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try await site.started(store, for: "one")
        let goAway = FaultGoAway(code: 0, cut: .processed, debugData: .none)
        await site.inject(.request(.connection(.goAway(goAway), isProcessed: false)), count: 1)
        let ids = try await site.enqueue(try Self.calls(1, site), store)
        await site.wake(dispatcher)
        while try await store.attempts(ids[0], tenant: site.tenant).isEmpty { await Task.yield() }
        let first = try await store.attempts(ids[0], tenant: site.tenant)
        #expect(first.first?.connection == .notProcessed && first.first?.reason == "GOAWAY")
        try await site.until(ids, store) { $0 == .queued || $0.isFinal }
        #expect(try await site.states(ids, store) == [.queued])
        await site.advance(seconds: 1, dispatcher)
        try await site.until(ids, store) { $0.isFinal }
        #expect(try await site.states(ids, store) == [.accepted])
        #expect(try await store.entries(ids, tenant: site.tenant)[0]?.maybeDuplicate == false)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `what a client has no stream for waits in its own queue, and others pass it`() {
        var flow = DispatchFlow(inFlightMax: 64, bucket: DeviceBucket(perMinute: 60, burst: 9, deviceCountMax: 9))
        _ = flow.next(now: 0)
        flow.rooms.update(1, .connecting)
        flow.rooms.update(2, .open(2))
        var items = (1...6).map { DispatchFlowTests.item($0) }
        for index in items.indices { items[index].client = index < 3 ? 1 : 2 }
        flow.didTake(items, from: .urgent, isAll: true)
        #expect(DispatchFlowTests.marked(&flow, now: 0) == [4, 5], "two streams")
        #expect(flow.waitingCount(for: 1) == 3 && flow.waitingCount(for: 2) == 1)
        // Once handed in, the client counts them.
        for ticket in [4, 5] { flow.didHandIn(ticket) }
        flow.rooms.update(1, .open(1))
        flow.rooms.update(2, .open(0))
        #expect(DispatchFlowTests.marked(&flow, now: 0) == [1])
        #expect(DispatchFlowTests.marked(&flow, now: 0).isEmpty, "the stream is spoken for")
        flow.didMark([], lost: [])
        flow.rooms.update(1, .unreachable)
        guard case .mark(let batch)? = flow.next(now: 0) else {
            Issue.record("nothing is put off")
            return
        }
        #expect(batch.map(\.ticket) == [2, 3] && batch.allSatisfy(\.isUnreachable))
    }
}
