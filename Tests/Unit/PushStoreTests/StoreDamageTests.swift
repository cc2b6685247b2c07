import APNS
import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

struct StoreDamageTests {
    private let file: StoreAtRest

    init() throws { file = try StoreAtRest() }

    @Test(arguments: [
        "UPDATE payload SET bytes = x'00' || substr(bytes, 2)", "DELETE FROM payload",
        "UPDATE entry SET header = x'01'",
        "UPDATE entry SET header = x''", "UPDATE entry SET apns_id = x'0102'", "UPDATE entry SET checksum = 1",
        "UPDATE entry SET trace = x'FF'", "UPDATE entry SET header = substr(header, 1, 20) || x'00'",
        "UPDATE payload SET bytes = 'text'",
    ])
    func `a damaged row is dead and holds up nobody (abuse case 97)`(_ damage: String) async throws {
        let store = try file.open()
        let first = try await store.store(try StorePattern.entry(1, device: 1))[0]
        let second = try await store.store(try StorePattern.entry(2, device: 1))[0]
        await store.close()
        let column = damage.contains("payload") ? "entry" : "id"
        try file.execute("\(damage) WHERE \(column) = \(first.value)")
        let damaged = try file.open()
        #expect(try await damaged.takeAll().map(\.lease.id) == [second])
        let counts = try await damaged.counts()
        #expect(counts.map(\.dead) == [1] && counts.map(\.queued) == [1])
        let tenant = try StorePattern.tenant(1)
        if let found = try await damaged.entries([first], tenant: tenant)[0] { #expect(found.state == .dead(.corrupt)) }
        let replay = Replay(id: first, apnsID: StorePattern.apnsID(9), deadline: .after(60))
        #expect(try await damaged.replay([replay], tenant: tenant, now: .after(0)) == [.corrupt])
        await damaged.close()
    }

    @Test(arguments: ["DELETE FROM entry", "UPDATE entry SET state = 3"], [false, true])
    func `what is listed as waiting and does not wait is reported, and holds up nobody`(
        _ damage: String,
        _ isOver: Bool
    ) async throws {
        let store = try file.open()
        let first = try await store.store(try StorePattern.entry(1, device: 1))[0]
        let second = try await store.store(try StorePattern.entry(2, device: 1))[0]
        await store.close()
        try file.execute("\(damage) WHERE id = \(first.value)")
        let damaged = try file.open()
        #expect(try await damaged.integrityReport().count == 1)
        if isOver {
            #expect(try await damaged.expire(now: .after(1_000_000), limit: 9) == 2)
            #expect(try await damaged.state(second) == .expired)
        } else {
            #expect(try await damaged.takeAll().map(\.lease.id) == [second])
        }
        #expect(try await damaged.integrityReport() == [])
        await damaged.close()
    }

    @Test func `what memory still has for a device is not shown where its row is another tenant's`() async throws {
        let store = try file.open()
        let ids = try await store.store(try StorePattern.entry(1, device: 1))
        _ = try await store.store(try StorePattern.entry(2, device: 2), tenant: 2)
        let key = DeviceKey(tenant: try StorePattern.tenant(1), device: try StorePattern.device(1))
        #expect(try await store.entries(device: key, limit: 9).map(\.id) == ids)
        // Beside the running store.
        try file.execute("UPDATE entry SET tenant = 2 WHERE id = \(ids[0].value)")
        #expect(try await store.entries(device: key, limit: 9).isEmpty)
        await store.close()
    }

    @Test func `what memory still has for an apns-id is not shown where its row has another`() async throws {
        let store = try file.open()
        let ids = try await store.store(try StorePattern.entry(1))
        let tenant = try StorePattern.tenant(1)
        #expect(try await store.entry(apnsID: StorePattern.apnsID(1), tenant: tenant)?.id == ids[0])
        let other = StorePattern.apnsID(2).bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
        try file.execute("UPDATE entry SET apns_id = x'\(other.joined())'")
        #expect(try await store.entry(apnsID: StorePattern.apnsID(1), tenant: tenant) == nil)
        await store.close()
    }

    @Test func `a token that was moved to another row opens nowhere`() async throws {
        let store = try file.open()
        let registrations = try (1...2).map { try StorePattern.registration($0) }
        _ = try await store.put(registrations, now: .after(0))
        await store.close()
        try file.execute(
            """
            UPDATE device SET token = (SELECT token FROM device WHERE id = CAST('device 2' AS BLOB))
            WHERE id = CAST('device 1' AS BLOB)
            """
        )
        let moved = try file.open()
        let lookups = try await moved.devices(registrations.map(\.key))
        #expect(lookups[0] == .damaged)
        #expect(lookups[1] != .damaged)
        // The app's next launch mends it.
        #expect(try await moved.put([registrations[0]], now: .after(1)) == [.changed])
        guard case .found(let device) = try await moved.devices([registrations[0].key])[0] else { throw NotStored() }
        #expect(device.holds(registrations[0]))
        await moved.close()
    }

    @Test func `a device's two tokens cannot change places`() async throws {
        let store = try file.open()
        var registration = try StorePattern.registration(1)
        registration.voIPToken = try StorePattern.token(1_001)
        _ = try await store.put([registration], now: .after(0))
        await store.close()
        try file.execute("UPDATE device SET token = voip_token, voip_token = token")
        let moved = try file.open()
        #expect(try await moved.devices([registration.key]) == [.damaged])
        await moved.close()
        try file.execute("UPDATE device SET token = voip_token")
        let half = try file.open()
        guard case .found(let device) = try await half.devices([registration.key])[0] else { throw NotStored() }
        #expect(device.voIPToken == nil && device.token == registration.token)
        // The app's next launch mends it.
        #expect(try await half.put([registration], now: .after(1)) == [.changed])
        guard case .found(let mended) = try await half.devices([registration.key])[0] else { throw NotStored() }
        #expect(mended.holds(registration))
        await half.close()
    }

    @Test func `a damaged entry ends as a hook tells, or is counted where nothing can be told`() async throws {
        let store = try file.open()
        var entries = try [StorePattern.entry(1, device: 1), StorePattern.entry(2, device: 1)]
        for index in entries.indices { entries[index].isReported = true }
        let ids = [try await store.store(entries[0])[0], try await store.store(entries[1])[0]]
        await store.close()
        try file.execute("DELETE FROM payload; UPDATE entry SET header = x'01' WHERE id = \(ids[1].value)")
        let damaged = try file.open()
        #expect(try await damaged.takeAll().isEmpty)
        let hooks = try await damaged.takeHooks(limit: 9, now: .after(1), leasedUntil: .after(60))
        #expect(hooks.map(\.entry.id) == [ids[0]] && hooks.first?.entry.state == .dead(.corrupt))
        let counts = [HookCount(tenant: try StorePattern.tenant(1), waiting: 1, dropped: 1)]
        #expect(try await damaged.hookCounts() == counts)
        await damaged.close()
    }

    @Test func `no file holds a device token (abuse case 93)`() async throws {
        let store = try file.open()
        var registration = try StorePattern.registration(1)
        let call = try StorePattern.token(1_001)
        registration.voIPToken = call
        _ = try await store.put([registration], now: .after(0))
        let old = registration.token
        registration.token = try StorePattern.token(1, version: 2)
        _ = try await store.put([registration], now: .after(1))
        _ = try await store.quarantine(token: old, environment: .production, tenant: registration.key.tenant)
        try await store.backup(to: file.folder.path("copy"))
        // Also in the log, which exists while the store is open.
        for _ in 0..<2 {
            for name in try file.folder.names() {
                let bytes = try StoreAtRest.read(file.folder.path(name))
                for token in [old, registration.token, call] {
                    #expect(!Self.contains(bytes, token.bytes), "\(name)")
                    #expect(!Self.contains(bytes, Array(token.hex.utf8)), "\(name)")
                }
            }
            await store.close()
        }
        // The search does find a present text.
        #expect(Self.contains(try StoreAtRest.read(file.path), registration.bundle))
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        var rest = bytes[...]
        while let found = rest.firstIndex(of: first) {
            rest = rest[found...]
            if rest.starts(with: part) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
