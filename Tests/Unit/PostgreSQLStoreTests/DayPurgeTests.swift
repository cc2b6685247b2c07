import Envelope
import Platform
import PostgreSQL
import PostgreSQLServers
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite(.needsServer)
struct DayPurgeTests {
    private func tables(_ store: PostgreSQLStore) async throws -> Set<Int64> {
        let select: Statement = """
            SELECT DISTINCT split_part(relname::text, '_', 2)::int8 FROM pg_class
            WHERE relnamespace = 'sealedpush'::regnamespace AND relkind = 'r'
                AND relname ~ '^(entry|payload|attempt|dead|receipt)_[0-9]+$'
            """
        return Set(try await store.pool.run(select).rows.map { try $0.int64(0) })
    }

    @Test func `a day in which all has ended is dropped, with its counts; one in which something lives is not`()
        async throws
    {
        let stores = try await RelayStores()
        let (store, leases) = try await stores.openOwner(1)
        let day = IDSource.day(at: StorePattern.start.milliseconds)
        var ids: [[EntryID]] = []
        for number in 0..<3 {
            ids.append(try await store.ids(try stores.request(1...5), now: .days(number)))
            let taken = try await store.takeAll(by: leases, now: .days(number))
            // One of the second day is never sent.
            let own = taken.map(\.lease).filter { ids[number].contains($0.id) }
            let sent = own.dropFirst(number == 1 ? 1 : 0)
            _ = try await store.markSending(Array(sent), now: .days(number))
            let attempt = Attempt(time: .days(number), connection: .answered, status: 200)
            let outcomes = sent.map { lease in
                Outcome(
                    lease: lease,
                    attempt: attempt,
                    verdict: lease.id == sent.first?.id ? .dead(.rejected) : .accepted
                )
            }
            _ = try await store.finish(outcomes, now: .days(number))
            await store.giveBack(taken.map(\.lease))
        }
        #expect(try await tables(store).isSuperset(of: [day, day + 1, day + 2, day + 3]))
        #expect(try await store.purge(endedBefore: .days(2), limit: 1_000) == 9)
        #expect(try await tables(store).isDisjoint(with: [day]))
        #expect(try await tables(store).isSuperset(of: [day + 1, day + 2]))
        #expect(try await store.states(ids[0], stores.tenant) == ids[0].map { _ in nil })
        #expect(try await store.states(ids[1], stores.tenant).compactMap(\.self) == [.queued])
        #expect(try await store.states(ids[2], stores.tenant).compactMap(\.self).count == 5)
        let count = try #require(try await store.counts().first)
        #expect(count.queued == 1 && count.accepted == 4 && count.dead == 1)
        #expect(try await store.pool.contradictions() == [])
        // Its tables are made again for a clock that is set back.
        let late = try await store.ids(try stores.request(1...2), now: .days(0))
        #expect(try await store.states(late, stores.tenant) == [.queued, .queued])
        await store.close()
    }

    @Test func `a day with an entry that lives after all comes back when its purge ended halfway`() async throws {
        let stores = try await RelayStores()
        let (store, leases) = try await stores.openOwner(1)
        let ids = try await store.ids(try stores.request(1...5))
        let day = IDSource.day(at: StorePattern.start.milliseconds)
        try await store.pool.run(
            Statement(once: "ALTER TABLE sealedpush.entry DETACH PARTITION sealedpush.entry_#", number: day)
        )
        #expect(try await store.states(ids, stores.tenant) == ids.map { _ in nil })
        #expect(try await store.purge(endedBefore: .days(9), limit: 1_000) == 0)
        #expect(try await store.states(ids, stores.tenant) == ids.map { _ in .queued })
        let taken = try await store.takeAll(by: leases).map(\.lease)
        _ = try await store.markSending(taken, now: StorePattern.start)
        _ = try await store.accept(taken)
        // Two relays at once: one of them drops it.
        let other = try await stores.open(2)
        async let first = store.purge(.all, endedBefore: .days(9), limit: 1_000)
        async let second = other.purge(.all, endedBefore: .days(9), limit: 1_000)
        #expect(try await first + second == 5)
        #expect(try await tables(store).isDisjoint(with: [day]))
        #expect(try await store.counts().map(\.accepted) == [0])
        #expect(try await store.pool.contradictions() == [])
        await other.close()
        await store.close()
    }

    @Test func `a day whose entry has a hook that waits is not dropped`() async throws {
        let stores = try await RelayStores()
        let (store, leases) = try await stores.openOwner(1)
        var entry = try StorePattern.entry(1)
        entry.isReported = true
        let request = try OutboxRequest(tenant: stores.tenant, idempotency: nil, entries: [entry])
        let ids = try await store.ids(request)
        let taken = try await store.takeAll(by: leases).map(\.lease)
        _ = try await store.markSending(taken, now: StorePattern.start)
        let attempt = Attempt(time: StorePattern.start, connection: .answered, status: 400)
        _ = try await store.finish(
            [Outcome(lease: taken[0], attempt: attempt, verdict: .dead(.rejected))],
            now: StorePattern.start
        )
        let day = IDSource.day(of: ids[0])
        #expect(try await store.purge(.none, endedBefore: .days(9), limit: 9) == 0)
        #expect(try await tables(store).contains(day))
        try await store.pool.run("DELETE FROM sealedpush.hook")
        try await store.pool.run("UPDATE sealedpush.hook_tally SET count = 0")
        #expect(try await store.purge(.none, endedBefore: .days(9), limit: 9) == 1)
        #expect(try await !tables(store).contains(day))
        #expect(try await store.pool.contradictions() == [])
        await store.close()
    }
}
