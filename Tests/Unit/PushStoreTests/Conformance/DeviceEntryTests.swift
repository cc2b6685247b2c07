import Envelope
import PushStore
import PushStorePattern
import Testing

struct DeviceEntryTests {
    private func key(_ device: Int, tenant: Int = 1) throws -> DeviceKey {
        DeviceKey(tenant: try StorePattern.tenant(tenant), device: try StorePattern.device(device))
    }

    @Test(arguments: StoreEngine.all)
    func `the newest come first, of this device and tenant alone, and only so many`(_ engine: StoreEngine) async throws
    {
        try await engine.with { store in
            var own: [EntryID] = []
            for number: UInt64 in 1...6 {
                own += try await store.store(try StorePattern.entry(number, device: 1))
                _ = try await store.store(try StorePattern.entry(number + 10, device: 2))
                _ = try await store.store(try StorePattern.entry(number + 20, device: 1), tenant: 2)
            }
            #expect(try await store.entries(device: try key(1), limit: 100).map(\.id) == own.reversed())
            #expect(try await store.entries(device: try key(1), limit: 2).map(\.id) == Array(own.reversed().prefix(2)))
            #expect(try await store.entries(device: try key(3), limit: 100).isEmpty)
            #expect(try await store.entries(device: try key(1, tenant: 3), limit: 100).isEmpty)
            let ended = try await store.sendAll(now: .after(1))
            for leased in ended { _ = try await store.finish(leased, .accepted, now: .after(1)) }
            #expect(try await store.entries(device: try key(1), limit: 9).allSatisfy { $0.state == .accepted })
            _ = try await store.purge(endedBefore: .after(2), limit: 100)
            #expect(try await store.entries(device: try key(1), limit: 100).isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `they are known to the next process, the repetition of a dead letter among them`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1, device: 1))[0]
            let sent = try await store.sendAll()
            _ = try await store.finish(sent[0], .dead(.rejected))
            let replay = Replay(id: id, apnsID: StorePattern.apnsID(9), deadline: .after(60))
            _ = try await store.replay([replay], tenant: StorePattern.tenant(1), now: .after(1))
        } then: { store in
            let found = try await store.entries(device: try key(1), limit: 9)
            #expect(found.map(\.state) == [.queued, .dead(.rejected)])
        }
    }
}
