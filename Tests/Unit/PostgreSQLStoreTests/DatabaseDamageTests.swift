import Envelope
import PostgreSQL
import PostgreSQLServers
import PushStore
import PushStorePattern
import Testing

@testable import PostgreSQLStore

/// Rows that someone, or a disk, has changed beside the relay.
@Suite(.needsServer)
struct DatabaseDamageTests {
    @Test(
        arguments: [
            "UPDATE sealedpush.payload SET bytes = '\\x00'", "DELETE FROM sealedpush.payload",
            "UPDATE sealedpush.entry SET header = '\\x01'", "UPDATE sealedpush.entry SET header = ''",
            "UPDATE sealedpush.entry SET apns_id = '\\x0102'", "UPDATE sealedpush.entry SET checksum = 1",
            "UPDATE sealedpush.entry SET trace = '\\xff'",
        ] as [Statement]
    )
    func `a damaged row is dead and holds up nobody (abuse case 97)`(_ damage: Statement) async throws {
        let stores = try await RelayStores()
        let (store, leases) = try await stores.openOwner(1)
        let first = try await store.ids(try stores.request(1...1))
        try await store.pool.run(damage)
        let second = try await store.ids(try stores.request(2...2))
        #expect(try await store.takeAll(by: leases).map(\.lease.id) == second)
        let counts = try await store.counts()
        #expect(counts.map(\.dead) == [1] && counts.map(\.queued) == [1])
        if let found = try await store.entries(first, tenant: stores.tenant)[0] {
            #expect(found.state == .dead(.corrupt))
        }
        let replay = Replay(id: first[0], apnsID: StorePattern.apnsID(9), deadline: .days(90))
        #expect(try await store.replay([replay], tenant: stores.tenant, now: StorePattern.start) == [.corrupt])
        await store.close()
    }

    @Test func `counts of a relay that is gone are added to another's, and none is lost`() async throws {
        let stores = try await RelayStores()
        let (gone, leases) = try await stores.openOwner(1)
        let ids = try await gone.ids(try stores.request(1...5))
        let taken = try await gone.takeAll(by: leases).map(\.lease)
        _ = try await gone.markSending(taken, now: StorePattern.start)
        _ = try await gone.accept(Array(taken.dropFirst(2)))
        var before = try await gone.counts()
        await gone.close()
        let store = try await stores.open(2)
        _ = try await store.ids(try stores.request(6...7))
        before[0].queued += 2
        #expect(try await store.purge(.none, endedBefore: StorePattern.start, limit: 9) == 0)
        #expect(try await store.counts() == before && before.map(\.accepted) == [3])
        let relays: Statement = "SELECT DISTINCT substr(relay, 1, 16) FROM sealedpush.tally"
        #expect(try await store.pool.run(relays).rows.map { try $0.bytes(0) } == [store.relay.rawRepresentation])
        #expect(try await store.states(ids, stores.tenant).count { $0 == .accepted } == 3)
        #expect(try await store.pool.contradictions() == [])
        await store.close()
    }
}
