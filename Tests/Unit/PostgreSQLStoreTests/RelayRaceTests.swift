import Envelope
import Platform
import PostgreSQL
import PostgreSQLServers
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Two relays, with a store and connections each, on one database.
@Suite(.needsServer)
struct RelayRaceTests {
    @Test func `of two relays that store the same keys at once, one stores each, and both give the same answer`()
        async throws
    {
        let stores = try await RelayStores()
        let (one, other) = (try await stores.open(1), try await stores.open(2))
        for round in 0..<12 {
            let requests = try (0..<6).map { try stores.request(1...3, key: "\(round) \($0)") }
            // In other orders, which must not make them wait for each other.
            async let first = one.enqueue(requests, from: one.relay, now: StorePattern.start)
            async let second = other.enqueue(requests.reversed(), from: other.relay, now: StorePattern.start)
            let (own, others) = (try await first, try await Array(second.reversed()))
            for (own, other) in zip(own, others) {
                switch (own, other) {
                case (.stored(let ids), .duplicate(let known)), (.duplicate(let known), .stored(let ids)):
                    #expect(ids == known && ids.count == 3)
                default: Issue.record("\(own), \(other)")
                }
            }
        }
        #expect(try await one.counts().map(\.queued) == [12 * 6 * 3])
        let conflict = try stores.request(1...3, key: "3 3", body: 1)
        #expect(try await other.enqueue([conflict], from: nil, now: StorePattern.start) == [.conflict])
        #expect(try await one.pool.contradictions() == [])
        await one.close()
        await other.close()
    }

    @Test func `ids of two relays never meet, in the same millisecond either`() async throws {
        let stores = try await RelayStores()
        let relays = [try await stores.open(1), try await stores.open(2), try await stores.open(3)]
        #expect(Set(relays.map { $0.ids.withLock { $0.number } }).count == 3)
        let ids = try await withThrowingTaskGroup(of: [EntryID].self) { group in
            for store in relays {
                group.addTask {
                    var ids: [EntryID] = []
                    for _ in 0..<10 { ids += try await store.ids(try stores.request(1...20)) }
                    return ids
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(ids.count == 600 && Set(ids.map(\.sequence)).count == 600)
        for store in relays { await store.close() }
    }

    @Test func `a relay whose number is another's by now stores with a new one, and nothing twice`() async throws {
        let stores = try await RelayStores()
        let one = try await stores.open(1)
        var ids = try await one.ids(try stores.request(1...3, key: "1"))
        // As after a stop that was longer than its number's term.
        try await one.pool.run("UPDATE sealedpush.number SET until = 0, relay = NULL")
        let other = try await stores.open(2)
        #expect(one.ids.withLock { $0.number } == other.ids.withLock { $0.number })
        ids += try await other.ids(try stores.request(1...3, key: "2"))
        ids += try await one.ids(try stores.request(1...3, key: "3"))
        #expect(one.ids.withLock { $0.number } != other.ids.withLock { $0.number })
        #expect(ids.count == 9 && Set(ids).count == 9)
        #expect(try await one.states(ids, stores.tenant) == ids.map { _ in .queued })
        let again = try await one.enqueue([try stores.request(1...3, key: "3")], from: nil, now: StorePattern.start)
        #expect(again == [.duplicate(Array(ids.suffix(3)))])
        #expect(try await one.pool.contradictions() == [])
        await one.close()
        await other.close()
    }

    @Test func `an owner hears of what another relay queues in its shards, and of nothing else`() async throws {
        let stores = try await RelayStores()
        let (owner, leases) = try await stores.openOwner(1)
        let other = try await stores.open(2)
        let heard = Guarded<[QueueHint]>([])
        owner.listen(as: owner.relay) { hint in heard.withLock { $0.append(hint) } }
        other.listen(as: other.relay) { _ in Issue.record("it owns no shard") }
        // Its own are no news; a notice before it listens is lost, as any may be.
        while heard.withLock({ $0.isEmpty }) { _ = try await other.ids(try stores.request(1...1)) }
        _ = try await owner.ids(try stores.request(2...2))
        _ = try await other.ids(try stores.request(3...8))
        func devices() -> Set<DeviceID> { heard.withLock { Set($0.flatMap(\.entries).map(\.device)) } }
        let expected = try Set([1, 3, 4, 5, 6, 7, 8].map { try StorePattern.device($0) })
        while devices() != expected { await Task.yield() }
        #expect(heard.withLock { $0.allSatisfy { $0.tenant == stores.tenant } })
        #expect(try await owner.takeAll(by: leases).count >= 8)
        await other.close()
        await owner.close()
    }

    @Test func `another key for tokens is refused`() async throws {
        let stores = try await RelayStores()
        let store = try await stores.open(1)
        await #expect(throws: StoreError.wrongKey) {
            _ = try await PostgreSQLStore.open(
                try stores.stage.pool(),
                key: try StorePattern.key(8),
                relay: RelayStores.relay(2),
                now: StorePattern.start
            )
        }
        await store.close()
    }

    @Test func `queued entries are counted without a read, others' with the next renewal`() async throws {
        let stores = try await RelayStores()
        let (owner, leases) = try await stores.openOwner(1)
        let other = try await stores.open(2)
        _ = try await other.ids(try stores.request(1...5))
        _ = try await owner.ids(try stores.request(6...7))
        #expect(owner.queuedCounts(.normal, of: stores.tenant) == (2, 2))
        #expect(try await owner.renew(leases, lasting: RelayStores.term).isEmpty)
        #expect(owner.queuedCounts(.normal, of: stores.tenant) == (7, 7))
        let taken = try await owner.takeAll(by: leases)
        _ = try await owner.markSending(taken.prefix(4).map(\.lease), now: StorePattern.start)
        #expect(owner.queuedCounts(.normal, of: stores.tenant) == (3, 3))
        #expect(owner.queuedCounts(.urgent, of: stores.tenant) == (0, 0))
        await other.close()
        await owner.close()
    }
}
