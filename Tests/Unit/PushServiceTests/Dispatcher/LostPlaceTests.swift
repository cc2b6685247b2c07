import APNS
import CStoreFaults
import Networking
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import APNSSimulator
@testable import PushService

/// Entries that return to their queue unsent, perhaps behind later ones: they have lost their place, and are not sent
/// where a newer one with their collapse id went out. With a real store and a simulator behind TLS.
struct LostPlaceTests {
    /// Queues entries as a request does: the dispatcher knows of them.
    private static func queue(
        _ numbers: [UInt64],
        _ site: DispatchSite,
        _ store: SQLiteStore,
        _ dispatcher: Dispatcher
    ) async throws -> [EntryID] {
        var entries = try numbers.map { try site.entry($0, to: "one") }
        for index in entries.indices { entries[index].collapseID = try CollapseID("talk") }
        await site.loop.run { [entries] in
            dispatcher.willQueue(entries.map { QueueNote($0) }, tenant: site.tenant, now: site.clock.now)
        }
        return try await site.enqueue(entries, store)
    }

    @Test func `one that was given back does not come behind a newer one that was not`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try await site.started(store, for: "one")
        // APNs answers nothing before it may.
        let mayAnswer = Monitored(false)
        defer { mayAnswer.change { $0 = true } }
        site.events.setHook { event in
            // This blocks the loop's own thread, none of the task pool.
            if case .accepted = event { _ = mayAnswer.wait { $0 ? true : nil } }
        }
        let first = try await Self.queue([1], site, store, dispatcher)
        await site.wake(dispatcher)
        await site.until { site.events.pushes.count == 1 }
        // They wait behind it. The lease of one ends a minute before that of the other.
        let older = try await Self.queue([2], site, store, dispatcher)
        await site.wake(dispatcher)
        await site.until { dispatcher.flow.collapses.count == 1 }
        site.clock.advance(milliseconds: 60_000)
        let newer = try await Self.queue([3], site, store, dispatcher)
        await site.wake(dispatcher)
        await site.until { dispatcher.flow.collapses.count == 2 }
        let lastTicket = await site.loop.run { dispatcher.pendings.keys.max() ?? 0 }
        site.clock.advance(milliseconds: 211_000)
        let isTakenAgain: @Sendable () -> Bool = {
            dispatcher.flow.collapses.count == 2 && dispatcher.pendings.keys.contains { $0 > lastTicket }
        }
        while await !site.loop.run(isTakenAgain) { await site.wake(dispatcher) }
        mayAnswer.change { $0 = true }
        try await site.until(first + older + newer, store) { $0.isFinal }
        #expect(try await site.states(older + newer, store) == [.dead(.superseded), .accepted])
        // The first may come again: a connection that is silent for long is closed.
        #expect(!site.events.pushes.contains(StorePattern.apnsID(2)))
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `one whose mark failed does not come behind a newer one that went out meanwhile`() async throws {
        let name = "dispatch-mark"
        let faults = unsafe try #require(unsafe store_faults_create(name))
        defer { unsafe store_faults_destroy(faults) }
        let site = try await DispatchSite()
        let store = try site.openStore(fileSystem: name)
        let dispatcher = try await site.started(store, for: "one")
        // No mark is written before the disk is full, whenever the entry is taken.
        let marksMax = dispatcher.flow.bounds.writesAtOnceMax
        await site.loop.run { dispatcher.flow.marksUnderWay = marksMax }
        let ids = try await Self.queue([1, 2], site, store, dispatcher)
        await site.wake(dispatcher)
        await site.until { dispatcher.flow.waiting[Lane.normal.index].fresh.count == 2 }
        unsafe store_faults_fill(faults, 1)
        await site.loop.run { dispatcher.flow.marksUnderWay = 0 }
        await site.wake(dispatcher)
        await site.until { dispatcher.flow.failureCount == 1 && dispatcher.flow.marksUnderWay == 0 }
        unsafe store_faults_fill(faults, 0)
        // The next try is the newer one's, which is in memory; the older one has to be taken again.
        await site.advance(seconds: 1, dispatcher)
        while try await !site.states(ids, store).allSatisfy({ $0?.isFinal ?? false }) { await site.wake(dispatcher) }
        #expect(try await site.states(ids, store) == [.dead(.superseded), .accepted])
        #expect(site.events.pushes == [StorePattern.apnsID(2)])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
