import Envelope
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

struct ShardTableTests {
    private let file: StoreAtRest

    init() throws { file = try StoreAtRest() }

    @Test func `a transaction that fails changes no owner, and the next one can`() async throws {
        let store = try file.open()
        let opener = store.openingReport.leases
        let relay = RelayID(high: 2, low: 2)
        await #expect(throws: StoreError.full) {
            try await store.write { writer throws(StoreError) in
                _ = try writer.shards.acquire(.all, for: relay, until: 9, now: 0, isAlone: true)
                throw StoreError.full
            }
        }
        #expect(try await store.renew(opener, lasting: .seconds(1)).isEmpty)
        let taken = try await store.write { writer throws(StoreError) in
            try writer.shards.acquire(.all, for: relay, until: 9, now: 0, isAlone: true)
        }
        #expect(taken.all.map(\.epoch) == opener.all.map { $0.epoch + 1 })
        #expect(try await store.renew(opener, lasting: .seconds(1)) == .all)
        await store.close()
    }

    @Test func `a file without its rows of owners opens as one of a new relay`() async throws {
        await (try file.open()).close()
        try file.execute("DELETE FROM shard WHERE shard < 40")
        try file.execute("UPDATE shard SET owner = x'01', epoch = -7 WHERE shard = 41")
        let store = try file.open()
        #expect(store.openingReport.leases.shards == .all)
        let epochs = Shard.all.map { Int64($0.index < 40 || $0.index == 41 ? 1 : 2) }
        #expect(store.openingReport.leases.all.map(\.epoch) == epochs)
        await store.close()
    }
}
