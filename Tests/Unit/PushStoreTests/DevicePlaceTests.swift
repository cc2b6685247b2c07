import APNS
import Envelope
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

struct DevicePlaceTests {
    private let file: StoreAtRest

    init() throws { file = try StoreAtRest() }

    private func open(hash: DeviceSlots.Hash? = { _, _ in .max }) throws -> SQLiteStore {
        try SQLiteStore(
            path: file.path,
            key: try StorePattern.key(),
            settings: StoreSettings(deviceHash: hash),
            now: StorePattern.start
        )
    }

    private static func checkAreThere(_ registrations: [Device.Registration], in store: SQLiteStore) async throws {
        let lookups = try await store.devices(registrations.map(\.key))
        for (registration, lookup) in zip(registrations, lookups) {
            guard case .found(let device) = lookup else {
                Issue.record("gone: \(registration.key.device)")
                continue
            }
            #expect(device.holds(registration))
        }
        #expect(try await store.bundles(of: registrations.map(\.key)) == registrations.map(\.bundle))
    }

    @Test func `four devices with one hash are four devices, and a fifth finds no place`() async throws {
        let store = try open()
        let four = try (1...4).map { try StorePattern.registration($0, version: UInt64($0)) }
        #expect(try await store.put(four, now: .after(0)) == [.created, .created, .created, .created])
        try await Self.checkAreThere(four, in: store)
        #expect(try await store.put(four, now: .after(1)) == [.unchanged, .unchanged, .unchanged, .unchanged])
        let fifth = try StorePattern.registration(5)
        await #expect(throws: StoreError.noPlace) { _ = try await store.put([fifth], now: .after(1)) }
        #expect(try await store.devices([fifth.key]) == [.missing])
        #expect(try await store.bundles(of: [fifth.key]) == [nil])
        #expect(store.health == .writable)
        try await Self.checkAreThere(four, in: store)
        await store.close()
    }

    @Test func `a device that goes leaves the others where they are, and its place to a new one`() async throws {
        let store = try open()
        var four = try (1...4).map { try StorePattern.registration($0, version: UInt64($0)) }
        _ = try await store.put(four, now: .after(0))
        for index in [0, 2] {
            let gone = four[index].key
            #expect(try await store.delete([gone]) == [true])
            #expect(try await store.devices([gone]) == [.missing])
            #expect(try await store.bundles(of: [gone]) == [nil])
            var rest = four
            rest.remove(at: index)
            try await Self.checkAreThere(rest, in: store)
            four[index] = try StorePattern.registration(10 + index, version: 9)
            #expect(try await store.put([four[index]], now: .after(1)) == [.created])
            try await Self.checkAreThere(four, in: store)
        }
        await store.close()
    }

    @Test func `what changes one of several with a hash changes no other`() async throws {
        let store = try open()
        var three = try (1...3).map { try StorePattern.registration($0, version: UInt64($0)) }
        _ = try await store.put(three, now: .after(0))
        three[1] = try StorePattern.registration(2, version: 7)
        #expect(try await store.put([three[1]], now: .after(1)) == [.changed])
        try await Self.checkAreThere(three, in: store)
        let gone = Unregistration(key: three[0].key, token: three[0].token, timestamp: .after(3_600))
        #expect(try await store.unregister([gone]) == [.deleted])
        try await Self.checkAreThere(Array(three[1...]), in: store)
        await store.close()
    }

    @Test func `tenants with one part of the table are told apart, also page by page`() async throws {
        let store = try open()
        let mine = try StorePattern.registration(1, tenant: 1)
        let theirs = try StorePattern.registration(1, tenant: 2, version: 2)
        _ = try await store.put([mine], now: .after(0))
        await store.close()
        // As after some thirty thousand other tenants.
        try file.execute("INSERT INTO tenant (id, name) VALUES (32769, CAST('tenant 2' AS BLOB))")
        let next = try open()
        #expect(try await next.put([theirs], now: .after(0)) == [.created])
        try await Self.checkAreThere([mine, theirs], in: next)
        for registration in [mine, theirs] {
            for limit in [1, 9] {
                // Also where the other one's would come first.
                let page = try await next.devices(tenant: registration.key.tenant, after: nil, limit: limit)
                #expect(page.elements.map(\.key) == [registration.key])
            }
        }
        #expect(try await next.delete([mine.key]) == [true])
        try await Self.checkAreThere([theirs], in: next)
        await next.close()
    }

    @Test(arguments: [0, 1, 32_767, 32_768, Int64.max] as [Int64])
    func `places are numbers from 0 on, four in a row, and a tenant's own`(_ tenant: Int64) {
        for hash in [0, 1 << 18 - 1, 1 << 18, 0x0123_4567_89AB_CDEF, .max] as [UInt64] {
            let places = DeviceSlots { _, _ in hash }.places(of: [1], tenant: tenant)
            #expect(places.lowerBound >= 0 && places.count == 4 && places.lowerBound % 4 == 0)
            #expect(DeviceSlots.tenant(tenant).contains(places.lowerBound))
            #expect(DeviceSlots.tenant(tenant).contains(places.upperBound))
            let isFirst = hash < 1 << 18
            #expect((places.lowerBound == DeviceSlots.tenant(tenant).lowerBound) == isFirst)
            #expect((places.upperBound == DeviceSlots.tenant(tenant).upperBound) == (hash == .max))
        }
    }

    @Test func `the first place of a tenant's part is on its pages`() async throws {
        let store = try open(hash: { _, _ in 0 })
        let registrations = try (1...3).map { try StorePattern.registration($0) }
        _ = try await store.put(registrations, now: .after(0))
        let tenant = registrations[0].key.tenant
        let first = try await store.devices(tenant: tenant, after: nil, limit: 1)
        let rest = try await store.devices(tenant: tenant, after: first.next, limit: 9)
        #expect((first.elements + rest.elements).map(\.key) == registrations.map(\.key))
        await store.close()
    }

    @Test func `tenants with one part of the table have other places in it for one id`() throws {
        let places = DeviceSlots(key: [UInt8](0..<16))
        let device = try StorePattern.device(1).bytes
        let own = [1, 32_769, 65_537].map { places.places(of: device, tenant: $0).lowerBound }
        #expect(Set(own).count == 3 && own.allSatisfy { DeviceSlots.tenant(1).contains($0) })
    }

    @Test func `a file's hash is its own, and stays`() async throws {
        let key = DeviceKey(tenant: try StorePattern.tenant(1), device: try StorePattern.device(1))
        let first = try open(hash: nil)
        let order = try await first.order(of: [key])
        await first.close()
        let again = try open(hash: nil)
        #expect(try await again.order(of: [key]) == order)
        await again.close()
        let other = try StoreAtRest()
        let store = try other.open()
        // Equal once in 2^46.
        #expect(try await store.order(of: [key]) != order)
        await store.close()
    }

    @Test(arguments: ["DELETE FROM meta WHERE name = 'places'", "UPDATE meta SET value = x'01' WHERE name = 'places'"])
    func `a file without the key of its hash is damaged, and gets no other`(_ damage: String) async throws {
        await (try file.open()).close()
        try file.execute(damage)
        #expect(throws: StoreError.damaged) { _ = try file.open() }
    }

    @Test func `a device whose bundle is damaged can be sent to, and its next launch mends it`() async throws {
        let store = try file.open()
        let registrations = try (1...3).map { try StorePattern.registration($0, version: UInt64($0)) }
        _ = try await store.put(registrations, now: .after(0))
        await store.close()
        // One is missing, and one belongs to another device.
        try file.execute(
            """
            DELETE FROM bundle WHERE number = 1;
            UPDATE device SET bundle = 3 WHERE id = CAST('device 2' AS BLOB)
            """
        )
        let damaged = try file.open()
        for lookup in try await damaged.devices(registrations.map(\.key)) { #expect(lookup != .damaged) }
        #expect(try await damaged.bundles(of: registrations.map(\.key)) == [nil, nil, registrations[2].bundle])
        #expect(try await damaged.put(registrations, now: .after(1)) == [.changed, .changed, .unchanged])
        try await Self.checkAreThere(registrations, in: damaged)
        await damaged.close()
    }

    /// A search is one walk from the root to a page; a scan goes through all of them.
    @Test func `each look for devices is a search`() throws {
        try file.execute("")
        let connection = try SQLiteConnection(path: file.path, fileSystem: nil)
        try Migration.run(connection)
        let expected = [
            RegistryView.select: ["SEARCH device USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
            RegistrationRow.select: [
                "SEARCH device USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
                "SEARCH bundle USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
            ],
            StoreReader.selectBundle: [
                "SEARCH device USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
                "SEARCH bundle USING INTEGER PRIMARY KEY (rowid=?)",
            ],
            StoreReader.selectPage: ["SEARCH device USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
        ]
        for (text, plan) in expected {
            let found = try connection.prepare("EXPLAIN QUERY PLAN \(text)").all([]) { $0.optionalText(3) ?? "" }
            #expect(found == plan, "\(text)")
        }
    }
}
