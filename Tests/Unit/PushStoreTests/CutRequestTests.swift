import Envelope
import Platform
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

/// Requests to devices of several shards, with a fault of the disk between two of them.
struct CutRequestTests {
    enum Fault: CaseIterable, Sendable {
        case full, unwritable, sync

        var error: StoreError {
            switch self {
            case .full: .full
            case .unwritable: .unwritable
            case .sync: .uncertain
            }
        }

        func strike(_ disk: FaultyDisk) {
            switch self {
            case .full: disk.fill(from: 1)
            case .unwritable: disk.failWrites(from: 1)
            case .sync: disk.failNextSync()
            }
        }
    }

    private static let entryCount = 12
    private let folder: TemporaryFolder
    private let tenant: TenantID

    init() throws {
        folder = try TemporaryFolder()
        tenant = try StorePattern.tenant(1)
    }

    private func request(_ body: UInt64 = 1, key: String? = "k") throws -> OutboxRequest {
        try OutboxRequest(
            tenant: tenant,
            idempotency: try key.map { try StorePattern.idempotency($0, body: body) },
            entries: try (0..<Self.entryCount).map { try StorePattern.entry(body + UInt64($0), device: $0) }
        )
    }

    /// Shards of the request's devices that another relay will own: some stay the caller's.
    private func foreign() throws -> [Shard] {
        let all = Set(try request().entries.map { Shard(tenant: tenant, device: $0.device) })
        return all.sorted { $0.index < $1.index }.filter { !$0.index.isMultiple(of: 3) }
    }

    private func giveAway(_ store: SQLiteStore) async throws {
        let shards = ShardSet(try foreign())
        try await store.giveBack(store.opener.only(shards))
        let other = RelayID(high: 9, low: 9)
        _ = try await store.acquire(shards, for: other, lasting: .seconds(30), now: .after(0))
    }

    /// Counts each device's entries.
    private func counts(_ store: SQLiteStore) async throws -> [Int] {
        var counts: [Int] = []
        for entry in try request().entries {
            let key = DeviceKey(tenant: tenant, device: entry.device)
            counts.append(try await store.entries(device: key, limit: 9).count)
        }
        return counts
    }

    private func enqueue(_ store: SQLiteStore, _ request: OutboxRequest) async throws -> EnqueueResult {
        try await store.enqueue([request], from: store.opener.relay, now: .after(0))[0]
    }

    /// Strikes the disk when `count` foreign shards are stored.
    private func strike(_ fault: Fault, after count: Int, _ store: SQLiteStore, _ disk: FaultyDisk) {
        let heard = Guarded(0)
        let box = UncheckedBox(disk)
        store.listen(as: RelayID(high: 9, low: 9)) { _ in
            let number = heard.withLock { heard in
                heard += 1
                return heard
            }
            if number == count { fault.strike(box.value) }
        }
    }

    @Test(arguments: Fault.allCases)
    func `a request that was cut off between two shards is completed by its key, and nothing is doubled`(
        _ fault: Fault
    ) async throws {
        let shards = try foreign()
        try #require(shards.count > 3)
        for count in 1..<shards.count {
            let path = folder.path("store-\(count)")
            let disk = try FaultyDisk()
            var store = try disk.open(path)
            try await giveAway(store)
            strike(fault, after: count, store, disk)
            guard case .cut(let ids, let new, let error) = try await enqueue(store, try request()) else {
                Issue.record("it is not cut off")
                return
            }
            // The store itself says which: every device of the caller's shards, and of the first foreign ones.
            let stored = Set(shards[..<count])
            let expected = try request().entries.indices.filter { index in
                let shard = Shard(tenant: tenant, device: try request().entries[index].device)
                return !shards.contains(shard) || stored.contains(shard)
            }
            #expect(error == fault.error && new.sorted() == expected && ids.count == expected.count)
            let key = try #require(try request().idempotency)
            #expect(try await store.known(key, tenant: tenant) == .cut(ids, new: [], error: nil))
            if fault == .sync {
                await #expect(throws: StoreError.broken) { _ = try await enqueue(store, try request()) }
                // A later start: all shards are its own.
                await store.close()
                store = try disk.open(path)
            } else {
                await #expect(throws: fault.error) { _ = try await enqueue(store, try request()) }
                disk.fill(from: 0)
            }
            #expect(try await enqueue(store, try request(50)) == .conflict)
            guard case .completed(let all, let more) = try await enqueue(store, try request()) else {
                Issue.record("it is not completed")
                return
            }
            #expect(Set(ids).isSubset(of: all) && Set(all).count == Self.entryCount)
            #expect(Set(more).isDisjoint(with: expected) && more.count + new.count == Self.entryCount)
            #expect(try await counts(store).allSatisfy { $0 == 1 })
            // In the order of the request.
            let devices = try await store.entries(all, tenant: tenant).map { $0?.device }
            #expect(devices == (try request().entries.map { $0.device }))
            #expect(try await enqueue(store, try request()) == .duplicate(all))
            #expect(try await enqueue(store, try request(50)) == .conflict)
            #expect(try await counts(store).allSatisfy { $0 == 1 })
            #expect(try await store.integrityReport() == [])
            await store.close()
        }
    }

    @Test func `without a key the stored ones are named, and a repetition is another request`() async throws {
        let disk = try FaultyDisk()
        let store = try disk.open(folder.path("store"))
        try await giveAway(store)
        strike(.full, after: 2, store, disk)
        guard case .cut(let ids, let new, .full) = try await enqueue(store, try request(key: nil)) else {
            throw NotStored()
        }
        #expect(ids.count == new.count && !ids.isEmpty && ids.count < Self.entryCount)
        disk.fill(from: 0)
        guard case .stored(let all) = try await enqueue(store, try request(key: nil)) else { throw NotStored() }
        #expect(all.count == Self.entryCount && Set(all).isDisjoint(with: ids))
        await store.close()
    }

    @Test func `two calls with one key at the same time store each entry once`() async throws {
        for seed in 1...20 {
            let disk = try FaultyDisk()
            let store = try disk.open(folder.path("both-\(seed)"))
            try await giveAway(store)
            let results = try await withThrowingTaskGroup(of: EnqueueResult.self) { group in
                for _ in 0..<4 { group.addTask { try await enqueue(store, try request()) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let all = try await store.known(try #require(try request().idempotency), tenant: tenant)
            guard case .duplicate(let ids)? = all else { throw NotStored() }
            for result in results {
                switch result {
                case .stored(let same), .duplicate(let same), .completed(let same, _): #expect(same == ids)
                case .cut, .conflict: Issue.record("\(result)")
                }
            }
            #expect(try await counts(store).allSatisfy { $0 == 1 })
            await store.close()
        }
    }

    @Test func `a purge forgets a cut request no later than its entries, so that nothing of it comes again`()
        async throws
    {
        let disk = try FaultyDisk()
        let store = try disk.open(folder.path("store"))
        // An older key, which a purge of one forgets first.
        let older = try OutboxRequest(
            tenant: tenant,
            idempotency: try StorePattern.idempotency("older"),
            entries: [try StorePattern.entry(70, device: 70)]
        )
        _ = try await store.enqueue([older], now: .after(-9))
        try await giveAway(store)
        strike(.full, after: 2, store, disk)
        guard case .cut(let ids, _, _) = try await enqueue(store, try request()) else { throw NotStored() }
        disk.fill(from: 0)
        try await store.write { writer throws(StoreError) in
            for id in ids {
                guard let standing = try writer.standing(id) else { continue }
                try writer.end(standing, as: .accepted, now: .after(1))
            }
        }
        // One entry at a time, as in small steps.
        #expect(try await store.purge(endedBefore: .after(2), limit: 1) == 1)
        #expect(try await store.known(try #require(try request().idempotency), tenant: tenant) == nil)
        await store.close()
    }

    // MARK: One transaction, whose commit is uncertain

    /// Copies a store's files as a lost process leaves them.
    private func copy(_ path: String, to other: String) throws {
        for suffix in ["", "-wal", "-lock"] {
            let bytes = try StoreAtRest.read(path + suffix)
            let file = unsafe Platform.open(other + suffix, O_CREAT | O_WRONLY, 0o600)
            try #require(unsafe write(file, bytes, bytes.count) == bytes.count)
            close(file)
        }
    }

    @Test func `an uncertain commit that happened and one that did not get the same answer, and nothing is doubled`()
        async throws
    {
        let path = folder.path("store")
        let disk = try FaultyDisk()
        let store = try disk.open(path)
        _ = try await store.store(try StorePattern.entry(90))
        try copy(path, to: folder.path("before"))
        disk.failNextSync()
        await #expect(throws: StoreError.uncertain) { _ = try await enqueue(store, try request()) }
        try copy(path, to: folder.path("after"))
        await store.close()
        var answers: [[DeviceID?]] = []
        var happened: [Bool] = []
        for copy in ["before", "after"] {
            let next = try disk.open(folder.path(copy))
            happened.append(try await next.known(try #require(try request().idempotency), tenant: tenant) != nil)
            switch try await enqueue(next, try request()) {
            case .stored(let ids), .duplicate(let ids):
                answers.append(try await next.entries(ids, tenant: tenant).map { $0?.device })
            case let other: Issue.record("\(other)")
            }
            #expect(try await enqueue(next, try request(50)) == .conflict)
            #expect(try await counts(next).allSatisfy { $0 == 1 })
            await next.close()
        }
        #expect(happened == [false, true])
        #expect(answers.count == 2 && answers[0] == answers[1])
    }
}

/// The disk has a lock of its own.
private struct UncheckedBox: @unchecked Sendable {
    let value: FaultyDisk
    init(_ value: FaultyDisk) { self.value = value }
}
