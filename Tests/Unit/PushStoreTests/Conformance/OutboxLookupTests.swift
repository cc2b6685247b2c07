import Envelope
import PushStore
import PushStorePattern
import Testing

struct OutboxLookupTests {
    @Test(arguments: StoreEngine.all)
    func `a trace leads to its newest entry, whosever it is`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let one = try StorePattern.entry(1)
            let other = try StorePattern.entry(2)
            _ = try await store.store(one, tenant: 1)
            let later = try await store.store(one, tenant: 2)
            let ids = try await store.store(other, tenant: 1)
            let unknown = Trace(bytes: Array(repeating: 0, count: 16))
            let traces = [try #require(other.trace), unknown, try #require(one.trace)]
            let found = try await store.newestEntries(traces)
            #expect(found.map { $0?.id } == [ids[0], nil, later[0]])
            #expect(found.last??.tenant == (try StorePattern.tenant(2)))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a request that came before is known by its key, its tenant and its body`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let key = try StorePattern.idempotency("k")
            let tenant = try StorePattern.tenant(1)
            #expect(try await store.known(key, tenant: tenant) == nil)
            let request = try OutboxRequest(tenant: tenant, idempotency: key, entries: [try StorePattern.entry(1)])
            guard case .stored(let ids)? = try await store.enqueue([request], now: StorePattern.start).first else {
                Issue.record("not stored")
                return
            }
            #expect(try await store.known(key, tenant: tenant) == .duplicate(ids))
            #expect(try await store.known(StorePattern.idempotency("k", body: 1), tenant: tenant) == .conflict)
            #expect(try await store.known(StorePattern.idempotency("other"), tenant: tenant) == nil)
            #expect(try await store.known(key, tenant: StorePattern.tenant(2)) == nil)
        }
    }
}
