import Envelope
import Platform
import PostgreSQL
import PostgreSQLServers
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Calls whose end the relay does not learn: what they may have put in flight is queued again.
@Suite(.needsServer)
struct UncertainCallTests {
    /// Ends of a call that got no answer.
    enum End: CaseIterable, Sendable {
        /// Committed on the primary, and no standby said so.
        case stored
        /// Ended while it waited for a row.
        case notStored
    }

    private func waitForQueued(_ ids: [EntryID], _ store: PostgreSQLStore, _ tenant: TenantID) async throws {
        while try await store.states(ids, tenant).contains(where: { $0 != .queued }) { await Task.yield() }
        while store.rest.withLock({ !$0.isEmpty }) { await Task.yield() }
    }

    /// Runs a call that ends as uncertain.
    private func uncertain(
        _ end: End,
        _ stores: RelayStores,
        _ row: Statement,
        _ call: () async throws -> Void
    ) async throws {
        switch end {
        case .stored:
            try stores.stage.server.set("synchronous_standby_names", "nobody")
            let pool = try stores.stage.pool(connections: 1)
            let isSet: Statement = "SELECT FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting <> ''"
            while try await pool.run(isSet, writes: false).rowCount == 0 { await Task.yield() }
            await pool.close()
            await #expect(throws: StoreError.uncertain) { try await call() }
            try stores.stage.server.set("synchronous_standby_names", "")
        case .notStored:
            // Holds a row that the call needs, for as long as it takes.
            let holder = try stores.stage.pool(connections: 1)
            let holding = Task {
                var batch = Batch(writes: true)
                batch.add(row)
                batch.add("SELECT pg_sleep(1000)::text")
                _ = try? await holder.run(batch, within: DatabaseStage.patience)
            }
            let pool = try stores.stage.pool(connections: 1)
            let sleeps: Statement = """
                SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()
                """
            while try await pool.run(sleeps, writes: false).rowCount == 0 { await Task.yield() }
            await #expect(throws: StoreError.uncertain) { try await call() }
            let stop: Statement = """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE wait_event = 'PgSleep' AND datname = current_database()
                """
            try await pool.run(stop)
            await holding.value
            for pool in [holder, pool] { await pool.close() }
        }
    }

    @Test(arguments: End.allCases)
    func `what may be marked is queued again, and its lease is void`(_ end: End) async throws {
        let stores = try await RelayStores(try TestServer())
        let (setUp, _) = try await stores.openOwner(1)
        let ids = try await setUp.ids(try stores.request(1...6))
        await setUp.close()
        let (store, leases) = try await stores.openOwner(1, callTime: .seconds(2))
        let taken = try await store.takeAll(by: leases).map(\.lease)
        #expect(taken.map(\.id) == ids)
        try await uncertain(end, stores, "SELECT FROM sealedpush.entry FOR UPDATE") {
            _ = try await store.markSending(taken, now: StorePattern.start)
        }
        try await waitForQueued(ids, store, stores.tenant)
        #expect(try await store.pool.contradictions() == [])
        let again = try await store.takeAll(by: leases, now: .days(0).advanced(by: .seconds(1)))
        #expect(Set(again.map(\.lease.id)) == Set(ids) && again.allSatisfy { $0.entry.attemptCount == 0 })
        // A mark on its way may come now: it names another due time.
        var late = Batch(writes: true)
        late.add(
            Conclusion.mark,
            .bytes([0]),
            .int64(0),
            .int64s(taken.map(\.id.value)),
            .int64s(taken.map { Int64($0.attemptCount) }),
            .int64s(taken.map(\.standing.due.number))
        )
        #expect(try await store.pool.run(late, within: DatabaseStage.patience)[0].rowCount == 0)
        let marks = try await store.markSending(again.map(\.lease), now: .days(0).advanced(by: .seconds(1)))
        #expect(marks == ids.map { _ in .sending })
        #expect(try await store.accept(again.map(\.lease)) == ids.map { _ in .recorded(.accepted) })
        await store.close()
    }

    @Test func `what may be stored as in flight is queued again`() async throws {
        let stores = try await RelayStores(try TestServer())
        let (store, leases) = try await stores.openOwner(1, callTime: .seconds(2))
        // So that its day is there.
        _ = try await store.ids(try stores.request(9...9))
        let request = try stores.request(1...6, key: "k")
        try await uncertain(.stored, stores, "SELECT 1") {
            _ = try await store.enqueueSending([request], by: leases, now: StorePattern.start)
        }
        guard case .duplicate(let ids)? = try await store.enqueue([request], from: nil, now: StorePattern.start).first
        else {
            Issue.record("it was stored")
            return
        }
        try await waitForQueued(ids, store, stores.tenant)
        #expect(try await store.pool.contradictions() == [])
        let taken = try await store.takeAll(by: leases, now: .days(1))
        #expect(taken.count == 7 && taken.allSatisfy { $0.entry.attemptCount == 0 && !$0.entry.maybeDuplicate })
        await store.close()
    }

    @Test func `what was not stored as in flight cannot be stored later`() async throws {
        let stores = try await RelayStores(try TestServer())
        let (store, leases) = try await stores.openOwner(1, callTime: .seconds(2))
        _ = try await store.ids(try stores.request(9...9))
        let request = try stores.request(1...6, key: "k")
        try await uncertain(.notStored, stores, "SELECT FROM sealedpush.shard FOR UPDATE") {
            _ = try await store.enqueueSending([request], by: leases, now: StorePattern.start)
        }
        while store.rest.withLock({ !$0.isEmpty }) { await Task.yield() }
        // Where the call got its row before the server ended it, it is stored, and queued again.
        let isStored: Bool
        let ids: [EntryID]
        switch try await store.enqueue([request], from: nil, now: StorePattern.start).first {
        case .stored(let new): (isStored, ids) = (false, new)
        case .duplicate(let known): (isStored, ids) = (true, known)
        default: throw StoreError.damaged
        }
        #expect(try await store.states(ids, stores.tenant) == ids.map { _ in .queued })
        #expect(try await store.pool.contradictions() == [])
        // Its rows keep out a call that is still on its way. The next owner forgets them.
        let flight: Statement = "SELECT FROM sealedpush.flight"
        #expect(try await store.pool.run(flight).rowCount == (isStored ? 0 : 6))
        let taken = try await store.acquire(.all, for: store.relay, lasting: RelayStores.term, now: StorePattern.start)
        #expect(taken.interruptedCount == 0)
        #expect(try await store.pool.run(flight).rowCount == 0)
        await store.close()
    }
}
