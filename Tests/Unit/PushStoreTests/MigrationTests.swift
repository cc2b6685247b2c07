import APNS
import Envelope
import Platform
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

struct MigrationTests {
    private let file: StoreAtRest

    init() throws { file = try StoreAtRest() }

    /// Makes a version's file, with an entry as that version wrote it.
    private func makeFile(version: Int) throws -> EntryID {
        try file.execute("")
        let connection = try SQLiteConnection(path: file.path, fileSystem: nil)
        try Migration.run(connection, steps: Array(Schema.steps.prefix(version)))
        let entry = try StorePattern.entry(3)
        let tenant = try StorePattern.tenant(1)
        let id = EntryID(sequence: 77, shard: Shard(tenant: tenant, device: entry.device))
        let header = EntryHeader.encode(entry)
        let sum = EntryHeader.checksum(apnsID: entry.apnsID.bytes, header: header, payload: entry.payload)
        try file.execute(
            """
            INSERT INTO tenant (id, name) VALUES (1, x'\(Hex.encode(tenant.bytes))');
            INSERT INTO entry (id, tenant, lane, shard, state, attempts, tried, due, deadline, created, changed,
                maybe_duplicate, apns_id, header, checksum)
            VALUES (\(id.value), 1, 1, \(id.shard.index), 1, 0, 0, 5, 9000000000000, 5, 5, 0,
                x'\(Hex.encode(entry.apnsID.bytes))', x'\(Hex.encode(header))', \(sum));
            INSERT INTO payload (entry, bytes) VALUES (\(id.value), x'\(Hex.encode(entry.payload))');
            INSERT INTO tally (tenant, lane, state, count) VALUES (1, 1, 1, 1);
            """
        )
        return id
    }

    @Test(arguments: 1...Schema.steps.count)
    func `a file of every version before is brought forward with what is in it (abuse case 103)`(_ version: Int)
        async throws
    {
        let id = try makeFile(version: version)
        let store = try file.open()
        #expect(store.openingReport.versionBefore == version)
        #expect(store.openingReport.version == Schema.steps.count)
        // It was in flight when that version's process ended.
        #expect(store.openingReport.interruptedCount == 1)
        let taken = try await store.takeAll()
        #expect(taken.map(\.lease.id) == [id])
        #expect(taken.first?.payload == (try StorePattern.entry(3)).payload)
        let device = DeviceKey(tenant: try StorePattern.tenant(1), device: try StorePattern.entry(3).device)
        #expect(try await store.entries(device: device, limit: 9).map(\.id) == [id])
        #expect(try await store.put([try StorePattern.registration(1)], now: .after(0)) == [.created])
        #expect(try await store.store(try StorePattern.entry(4))[0].value > id.value)
        #expect(try await store.integrityReport() == [])
        await store.close()
        let again = try file.open()
        #expect(again.openingReport.versionBefore == Schema.steps.count)
        await again.close()
    }

    @Test func `who opens a file of an earlier version hears of it, and others hear nothing`() async throws {
        _ = try makeFile(version: 3)
        let heard = Guarded<[OpeningProgress]>([])
        var settings = StoreSettings()
        settings.whileOpening = { progress in heard.withLock { $0.append(progress) } }
        try await file.open(settings).close()
        #expect(heard.withLock { $0.first } == .upgrading(versionBefore: 3, version: Schema.steps.count))
        heard.withLock { $0 = [] }
        try await file.open(settings).close()
        #expect(heard.withLock { $0.isEmpty })
    }

    @Test func `a connection tells of long work in the middle of it, until that is no longer wanted`() throws {
        try file.execute("")
        let connection = try SQLiteConnection(path: file.path, fileSystem: nil)
        let count = Guarded(0)
        connection.watchWork { count.withLock { $0 += 1 } }
        let long =
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT sum(i) FROM n"
        #expect(try connection.integer(long) == 500_000_500_000)
        let heard = count.withLock { $0 }
        #expect(heard > 0)
        connection.watchWork(nil)
        _ = try connection.integer(long)
        #expect(count.withLock { $0 } == heard)
    }

    @Test func `a device and an entry of before receipts were kept go on`() async throws {
        let version = 3
        let id = try makeFile(version: version)
        let registration = try StorePattern.registration(1)
        let vault = TokenVault(StoreSecrets(try StorePattern.key()))
        var random = SeededRandom(seed: 103)
        let token = try #require(vault.seal(of: registration, random: &random))
        let fingerprint = vault.fingerprint(registration.token, .production, registration.key.tenant)
        try file.execute(
            """
            INSERT INTO device (tenant, id, shard, topic, environment, token, fingerprint, bundle, language, region,
                app_version, registered, seen)
            VALUES (1, x'\(Hex.encode(registration.key.device.bytes))', \(registration.key.shard.index),
                x'\(Hex.encode(registration.topic.bytes))', 1, x'\(Hex.encode(token))', x'\(Hex.encode(fingerprint))',
                x'\(Hex.encode(registration.bundle))', CAST('de-CH' AS BLOB), CAST('CH' AS BLOB), CAST('1.1' AS BLOB),
                5, 5)
            """
        )
        let store = try file.open()
        guard case .found(let device) = try await store.devices([registration.key])[0] else { throw NotStored() }
        #expect(device.holds(registration) && device.voIPQuarantine == nil)
        for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
        #expect(try await store.state(id) == .accepted)
        #expect(try await store.nextFallback() == nil)
        #expect(
            try await store.record([Receipt(tenant: registration.key.tenant, id: id, time: .after(1))]) == [.recorded]
        )
        #expect(try await store.nextHook() == nil)
        await store.close()
    }

    @Test func `a fallback that version 11 armed is due as before`() async throws {
        let id = try makeFile(version: 11)
        try file.execute(
            """
            UPDATE entry SET state = 3 WHERE id = \(id.value);
            UPDATE tally SET state = 3;
            INSERT INTO watch (entry, fallback_after, fallback_due, reported)
            VALUES (\(id.value), 60000, \(Timestamp.after(60).milliseconds), 0);
            """
        )
        let store = try file.open()
        #expect(try await store.nextFallback() == .after(60))
        #expect(try await store.claimFallbacks(limit: 9, now: .after(60)).map(\.entry.id) == [id])
        #expect(try await store.integrityReport() == [])
        await store.close()
    }

    /// Makes a file of version 7 as that version wrote it: devices in every state, two of them damaged.
    private func makeDevices(_ registrations: [Device.Registration]) throws {
        let connection = try SQLiteConnection(path: file.path, fileSystem: nil)
        let vault = TokenVault(StoreSecrets(try StorePattern.key()))
        var random = SeededRandom(seed: 7)
        for registration in registrations {
            let key = registration.key
            let tenant = try TenantTable(connection).makeNumber(key.tenant)
            try connection.prepare(
                """
                INSERT INTO device (tenant, id, shard, topic, environment, token, fingerprint, bundle, language, region,
                    app_version, registered, seen, voip_token, voip_fingerprint)
                VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            ).run([
                .integer(tenant), .bytes(key.device.bytes), .integer(Int64(key.shard.index)),
                .bytes(registration.topic.bytes), .optional(vault.seal(of: registration, random: &random)),
                .bytes(vault.fingerprint(registration.token, .production, key.tenant)), .bytes(registration.bundle),
                .optional(registration.language), .optional(registration.region), .optional(registration.appVersion),
                Timestamp.after(0).column, Timestamp.after(1).column,
                .optional(vault.seal(.voIPToken, of: registration, random: &random)),
                .optional(registration.voIPToken.map { vault.fingerprint($0, .production, key.tenant) }),
            ])
        }
    }

    /// Hash under which four devices of the twelve fill the places that they may have.
    private static let collidingHash: DeviceSlots.Hash = { _, device in (UInt64(device.last ?? 0) % 3) << 18 }

    @Test(arguments: [false, true])
    func `devices of before they had places are all there, with all that is known of them`(collide: Bool) async throws {
        _ = try makeFile(version: 7)
        let hash = collide ? Self.collidingHash : nil
        var registrations = try (1...12).map { try StorePattern.registration($0, version: UInt64($0)) }
        registrations += try (1...3).map { try StorePattern.registration($0, tenant: 2, version: 9) }
        for index in registrations.indices where index % 3 == 0 {
            registrations[index].voIPToken = try StorePattern.token(1_000 + index)
        }
        try makeDevices(registrations)
        // Row numbers are those of the registrations, from 1.
        try file.execute(
            """
            UPDATE device SET quarantine = 1 WHERE rowid = 2;
            UPDATE device SET quarantine = 2 WHERE rowid = 3;
            UPDATE device SET voip_quarantine = 1 WHERE rowid = 4;
            UPDATE device SET token = (SELECT token FROM device WHERE rowid = 1) WHERE rowid = 5;
            UPDATE device SET environment = 9 WHERE rowid = 6;
            DELETE FROM device WHERE rowid = 8
            """
        )
        let store = try SQLiteStore(
            path: file.path,
            key: try StorePattern.key(),
            settings: StoreSettings(deviceHash: hash),
            now: StorePattern.start
        )
        #expect(store.openingReport.versionBefore == 7)
        let lookups = try await store.devices(registrations.map(\.key))
        let bundles = try await store.bundles(of: registrations.map(\.key))
        for (index, (registration, lookup)) in zip(registrations, lookups).enumerated() {
            var expected = registration
            if index == 3 { expected.voIPToken = nil }
            switch index {
            case 4, 5: #expect(lookup == .damaged, "\(index)")
            case 7: #expect(lookup == .missing)
            default:
                let device = Device(
                    registration: expected,
                    registered: .after(0),
                    seen: .after(1),
                    quarantine: index == 1 ? .badToken : index == 2 ? .unconfirmed : nil,
                    voIPQuarantine: index == 3 ? .badToken : nil
                )
                #expect(lookup == .found(device), "\(index)")
            }
            #expect(bundles[index] == (index == 7 ? nil : registration.bundle), "\(index)")
        }
        let voIPToken = try #require(registrations[9].voIPToken)
        for token in [registrations[9].token, voIPToken] {
            let keys = try await store.devices(
                token: token,
                environment: .production,
                tenant: registrations[9].key.tenant
            )
            #expect(keys == [registrations[9].key])
        }
        // A launch changes nothing for whole ones, and mends the others.
        var results = [PutResult](repeating: .unchanged, count: registrations.count)
        // It is no longer in doubt; another token for calls looks like a bad one.
        results[2] = .seen
        for index in [4, 5] { results[index] = .changed }
        results[7] = .created
        #expect(try await store.put(registrations, now: .after(2)) == results)
        #expect(try await store.integrityReport() == [])
        await store.close()
    }

    @Test func `a step that cannot be done leaves the file as it was`() async throws {
        _ = try makeFile(version: 7)
        let registrations = try (1...5).map { try StorePattern.registration($0) }
        try makeDevices(registrations)
        // Five with one hash.
        #expect(throws: StoreError.noPlace) {
            _ = try SQLiteStore(
                path: file.path,
                key: try StorePattern.key(),
                settings: StoreSettings(deviceHash: { _, _ in 0 }),
                now: StorePattern.start
            )
        }
        let store = try file.open()
        #expect(store.openingReport.versionBefore == 7)
        #expect(try await store.put(registrations, now: .after(2)) == registrations.map { _ in .unchanged })
        await store.close()
    }

    @Test func `what waits and what is dead is listed in a file of before there were lists`() async throws {
        _ = try makeFile(version: 7)
        // Three more like the first: queued, parked and dead.
        for (number, state) in [(1, 0), (2, 2), (3, 5)] {
            try file.execute(
                """
                INSERT INTO entry (id, tenant, lane, shard, state, reason, attempts, tried, due, deadline, created, changed,
                    maybe_duplicate, apns_id, header, checksum)
                SELECT id + \(number * 256), tenant, lane, shard, \(state), iif(\(state) = 5, 1, NULL), attempts, tried, due,
                    deadline, created, changed, maybe_duplicate, apns_id, header, checksum FROM entry WHERE state = 1;
                INSERT INTO payload SELECT max(entry) + 256, bytes FROM payload;
                INSERT INTO tally (tenant, lane, state, count) VALUES (1, 1, \(state), 1);
                """
            )
        }
        let store = try file.open()
        #expect(try await store.integrityReport() == [])
        let entry = try StorePattern.entry(3)
        let tenant = try StorePattern.tenant(1)
        #expect(try await store.takeAll().count == 2)
        #expect(try await store.release(tenant: tenant, topic: entry.topic, limit: 9, now: .after(0)) == 1)
        #expect(try await store.takeAll().count == 1)
        #expect(try await store.deadLetters(tenant: tenant, after: nil, limit: 9).elements.count == 1)
        await store.close()
    }

    @Test func `what waits for a receipt in a file of before receipts were in runs gets it`() async throws {
        let id = try makeFile(version: 10)
        let hash = StorePattern.payload(1, byteCount: 32)
        let other = StorePattern.payload(2, byteCount: 32)
        // One of an entry that is gone, and one that only a fallback knows.
        try file.execute(
            """
            INSERT INTO watch (entry, receipt_hash, fallback_after, reported) VALUES
                (\(id.value - 256), x'\(Hex.encode(other))', NULL, 0), (\(id.value - 512), NULL, 5, 0),
                (\(id.value), x'\(Hex.encode(hash))', NULL, 0)
            """
        )
        let store = try file.open()
        let results = try await store.redeem([hash, other], now: .after(1))
        guard case .received(let entry) = results[0] else { throw NotStored() }
        #expect(entry.id == id)
        #expect(results[1] == .unknown)
        #expect(try await store.integrityReport() == [])
        await store.close()
    }

    @Test func `a file of a later version is refused, and left as it is (abuse case 103)`() async throws {
        await (try file.open()).close()
        let newest = Schema.steps.count
        try file.execute("PRAGMA user_version = \(newest + 1)")
        let error = StoreError.newerFile(version: newest + 1, newestKnown: newest)
        #expect(throws: error) { _ = try file.open() }
        try file.execute("PRAGMA user_version = \(newest)")
        await (try file.open()).close()
    }

    @Test func `another program's database is refused (abuse case 97)`() throws {
        try file.execute("CREATE TABLE theirs (x); PRAGMA user_version = 1")
        #expect(throws: StoreError.notAStore) { _ = try file.open() }
    }

    @Test func `a step that was released is never changed`() {
        let sums = Schema.steps.map { step in
            var sum = Checksum()
            sum.add(Array(step.utf8))
            return String(sum.value, radix: 16)
        }
        #expect(
            sums == [
                "440e070c48d67b2d", "8885d71be1b7d6cf", "2cdf9b7e97094c36", "5c1c31ad7f5e038b", "34c409427518fc28",
                "e9ebe0e37d1b1914", "afe21fc9b50ff175", "8fce7940d8c6b20c", "2347676e82729877", "704d342917f31ba3",
                "76c4a77171882c28", "84063bd85df3150d", "a1ab10c32507ca2e", "3f73a3de925e1d8e",
                "867f7e1808286216", "f32a81a2095f068c", "aea60660c2294baf", "be21738b7b5833c0", "210dd7c20795c791",
                "2205d15356cd1e76", "47a589a2318dd1f5", "2f93ed60b1c6ece1",
            ]
        )
    }
}
