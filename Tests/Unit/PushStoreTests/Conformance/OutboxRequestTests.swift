import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

struct OutboxRequestTests {
    private func request(_ key: String, body: UInt64, tenant: Int = 1) throws -> OutboxRequest {
        try OutboxRequest(
            tenant: try StorePattern.tenant(tenant),
            idempotency: try StorePattern.idempotency(key, body: body),
            entries: [try StorePattern.entry(body), try StorePattern.entry(body + 1)]
        )
    }

    @Test(arguments: StoreEngine.all)
    func `a request that comes again gets the answer of before (abuse case 87)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            guard case .stored(let ids) = try await store.enqueue([try request("k", body: 1)], now: .after(0))[0] else {
                throw NotStored()
            }
            #expect(try await store.enqueue([try request("k", body: 1)], now: .after(9)) == [.duplicate(ids)])
            #expect(try await store.takeAll(now: .after(9)).count == 2)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what a request says of recipients without an entry is there for its repetition, in each tenant`(
        _ engine: StoreEngine
    ) async throws {
        try await engine.with { store in
            let (key, tenant) = (try StorePattern.idempotency("k", body: 1), try StorePattern.tenant(1))
            let request = try OutboxRequest(
                tenant: tenant,
                idempotency: key,
                entries: [try StorePattern.entry(1)],
                rejected: [1, 2, 3]
            )
            #expect(try await store.rejected(key, tenant: tenant) == [])
            _ = try await store.enqueue([request], now: .after(0))
            #expect(try await store.rejected(key, tenant: tenant) == [1, 2, 3])
            #expect(try await store.rejected(key, tenant: try StorePattern.tenant(2)) == [])
            _ = try await store.enqueue([try self.request("k", body: 1, tenant: 2)], now: .after(0))
            #expect(try await store.rejected(key, tenant: try StorePattern.tenant(2)) == [])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a key with another body is a conflict (abuse case 87)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.enqueue([try request("k", body: 1)], now: .after(0))
            #expect(try await store.enqueue([try request("k", body: 5)], now: .after(0)) == [.conflict])
            #expect(try await store.takeAll().count == 2)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `of many with one key at once, one is stored (abuse case 87)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let results = try await withThrowingTaskGroup(of: EnqueueResult.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await store.enqueue([try request("k", body: 1)], now: .after(0))[0] }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let stored = results.filter { if case .stored = $0 { true } else { false } }
            let repeated = results.filter { if case .duplicate = $0 { true } else { false } }
            #expect(stored.count == 1 && repeated.count == 49)
            #expect(try await store.takeAll().count == 2)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `one key in one batch is stored once (abuse case 87)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let requests = [try request("k", body: 1), try request("k", body: 1), try request("k", body: 7)]
            let results = try await store.enqueue(requests, now: .after(0))
            guard case .stored(let ids) = results[0] else { throw NotStored() }
            #expect(results[1...] == [.duplicate(ids), .conflict])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `two tenants may use one key`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.enqueue([try request("k", body: 1)], now: .after(0))
            let result = try await store.enqueue([try request("k", body: 9, tenant: 2)], now: .after(0))[0]
            guard case .stored = result else { throw NotStored() }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `nothing is seen or changed of another tenant's (abuse case 85)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let entry = try StorePattern.entry(1)
            let id = try await store.store(entry)[0]
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            let other = try StorePattern.tenant(2)
            // A tenant that the store does not know, then one with an entry of its own.
            for isKnown in [false, true] {
                if isKnown { _ = try await store.store(try StorePattern.entry(5), tenant: 2) }
                #expect(try await store.entries([id], tenant: other) == [nil])
                #expect(try await store.entry(apnsID: entry.apnsID, tenant: other) == nil)
                #expect(try await store.entries(trace: try #require(entry.trace), tenant: other, limit: 9).isEmpty)
                let device = DeviceKey(tenant: other, device: entry.device)
                let own = try await store.entries(device: device, limit: 9).map(\.apnsID)
                #expect(!own.contains(entry.apnsID))
                #expect(try await store.attempts(id, tenant: other).isEmpty)
                #expect(try await store.deadLetters(tenant: other, after: nil, limit: 9).elements.isEmpty)
                let replay = Replay(id: id, apnsID: APNSID(), deadline: .after(60))
                #expect(try await store.replay([replay], tenant: other, now: .after(0)) == [.unknown])
                #expect(try await store.record([Receipt(tenant: other, id: id, time: .after(1))]) == [.unknown])
            }
            #expect(try await store.state(id) == .dead(.rejected))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `an entry is found by its ids and by its trace`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let entry = try StorePattern.entry(1)
            var sibling = try StorePattern.entry(2)
            sibling.trace = entry.trace
            let ids = try await store.store(entry, sibling, try StorePattern.entry(3))
            let tenant = try StorePattern.tenant(1)
            #expect(try await store.entry(apnsID: entry.apnsID, tenant: tenant)?.id == ids[0])
            #expect(try await store.entry(apnsID: APNSID(), tenant: tenant) == nil)
            let trace = try #require(entry.trace)
            #expect(try await store.entries(trace: trace, tenant: tenant, limit: 9).map(\.id) == [ids[1], ids[0]])
            #expect(try await store.entries(trace: trace, tenant: tenant, limit: 1).map(\.id) == [ids[1]])
        }
    }

    @Test(arguments: StoreEngine.all, ["'; DROP TABLE entry; --", "%", "_", "a\0b", "\u{202E}x", "\"", "NULL"])
    func `no text is more than a text (abuse case 88)`(_ engine: StoreEngine, _ text: String) async throws {
        try await engine.with { store in
            let tenant = try TenantID(text)
            var entry = try StorePattern.entry(1)
            entry.device = try DeviceID(text)
            let request = try OutboxRequest(
                tenant: tenant,
                idempotency: try StorePattern.idempotency(text),
                entries: [entry]
            )
            guard case .stored(let ids) = try await store.enqueue([request], now: .after(0))[0] else {
                throw NotStored()
            }
            #expect(try await store.enqueue([request], now: .after(0)) == [.duplicate(ids)])
            #expect(try await store.entries(ids, tenant: tenant)[0]?.device == entry.device)
            var registration = try StorePattern.registration(1)
            registration.key = DeviceKey(tenant: tenant, device: entry.device)
            registration.language = text
            #expect(try await store.put([registration], now: .after(0)) == [.created])
            guard case .found(let found) = try await store.devices([registration.key])[0] else { throw NotStored() }
            #expect(found.holds(registration))
            #expect(try await store.takeAll().count == 1)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a payload that is too long is refused, and nothing is stored`(_ engine: StoreEngine) async throws {
        try await engine.with { (store) async throws in
            let limits = NewEntry.payloadByteCounts
            await #expect(throws: StoreError.byteCount(field: .payload, of: limits)) {
                try await store.store(
                    try StorePattern.entry(1),
                    try StorePattern.entry(2, byteCount: limits.upperBound + 1)
                )
            }
            #expect(try await store.takeAll().isEmpty)
        }
    }
}
