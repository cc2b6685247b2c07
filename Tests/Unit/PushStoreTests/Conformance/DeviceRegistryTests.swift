import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

/// Devices in the store. The step of sightings is an hour, as it is by default.
struct DeviceRegistryTests {
    private func found(_ store: any RelayStore, _ number: Int, tenant: Int = 1) async throws -> Device? {
        let key = try StorePattern.registration(number, tenant: tenant).key
        guard case .found(let device) = try await store.devices([key])[0] else { return nil }
        return device
    }

    @Test(arguments: StoreEngine.all)
    func `a device is as it was registered`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let registration = try StorePattern.registration(1)
            #expect(try await store.put([registration], now: .after(0)) == [.created])
            let device = try #require(try await found(store, 1))
            #expect(device.holds(registration))
            #expect(device.registered == .after(0) && device.seen == .after(0) && device.quarantine == nil)
            #expect(try await found(store, 2) == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a launch that says nothing new writes nothing until an hour is over`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let registration = try StorePattern.registration(1)
            _ = try await store.put([registration], now: .after(0))
            #expect(try await store.put([registration], now: .after(3_599)) == [.unchanged])
            #expect(try await found(store, 1)?.seen == .after(0))
            #expect(try await store.put([registration], now: .after(3_600)) == [.seen])
            let device = try #require(try await found(store, 1))
            #expect(device.seen == .after(3_600) && device.registered == .after(0))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a token that was taken is known as that until another takes its place`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var registration = try StorePattern.registration(1)
            let other = try StorePattern.registration(2)
            _ = try await store.put([registration, other], now: .after(0))
            let reached = ReachedToken(
                token: registration.token,
                environment: registration.environment,
                tenant: registration.key.tenant
            )
            try await store.markReached([reached])
            #expect(try await found(store, 1)?.isReached == true)
            #expect(try await found(store, 2)?.isReached == false)
            registration.language = "fr"
            #expect(try await store.put([registration], now: .after(1)) == [.changed])
            #expect(try await found(store, 1)?.isReached == true)
            registration.token = try StorePattern.token(77)
            #expect(try await store.put([registration], now: .after(2)) == [.changed])
            #expect(try await found(store, 1)?.isReached == false)
            // The old token's marks do not hold for this one.
            try await store.markReached([reached])
            #expect(try await found(store, 1)?.isReached == false)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `new words keep the time of registration, and a new token does not`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var registration = try StorePattern.registration(1)
            _ = try await store.put([registration], now: .after(0))
            registration.language = "fr"
            #expect(try await store.put([registration], now: .after(5)) == [.changed])
            #expect(try await found(store, 1)?.registered == .after(0))
            registration.token = try StorePattern.token(1, version: 2)
            #expect(try await store.put([registration], now: .after(9)) == [.changed])
            let device = try #require(try await found(store, 1))
            #expect(device.holds(registration) && device.registered == .after(9))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a 410 deletes what was registered before it (abuse case 83)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let registration = try StorePattern.registration(1)
            _ = try await store.put([registration], now: .after(0))
            let gone = Unregistration(key: registration.key, token: registration.token, timestamp: .after(3_600))
            #expect(try await store.unregister([gone]) == [.deleted])
            #expect(try await found(store, 1) == nil)
            #expect(try await store.unregister([gone]) == [.unknown])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a 410 of before the registration deletes nothing (abuse case 83)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let registration = try StorePattern.registration(1)
            _ = try await store.put([registration], now: .after(10))
            let gone = Unregistration(key: registration.key, token: registration.token, timestamp: .after(9))
            #expect(try await store.unregister([gone]) == [.registeredSince])
            #expect(try await found(store, 1)?.quarantine == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a 410 that a launch may have followed stops pushes until the next launch`(_ engine: StoreEngine) async throws
    {
        try await engine.with { store in
            let registration = try StorePattern.registration(1)
            _ = try await store.put([registration], now: .after(0))
            // This launch was not written down.
            _ = try await store.put([registration], now: .after(3_000))
            let gone = Unregistration(key: registration.key, token: registration.token, timestamp: .after(2_000))
            #expect(try await store.unregister([gone]) == [.quarantined])
            #expect(try await found(store, 1)?.quarantine == .unconfirmed)
            #expect(try await store.put([registration], now: .after(3_100)) == [.seen])
            #expect(try await found(store, 1)?.quarantine == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a 410 for a token of before deletes nothing`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let registration = try StorePattern.registration(1, version: 2)
            _ = try await store.put([registration], now: .after(0))
            let old = try StorePattern.token(1, version: 1)
            let gone = Unregistration(key: registration.key, token: old, timestamp: .after(9_000))
            #expect(try await store.unregister([gone]) == [.otherToken])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a bad token is set aside in its environment alone`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var first = try StorePattern.registration(1)
            var second = try StorePattern.registration(2, environment: .sandbox)
            second.token = first.token
            _ = try await store.put([first, second], now: .after(0))
            let tenant = first.key.tenant
            let count = try await store.quarantine(token: first.token, environment: .production, tenant: tenant)
            #expect(count == 1)
            #expect(try await found(store, 1)?.quarantine == .badToken)
            #expect(try await found(store, 2)?.quarantine == nil)
            // A launch with the same token does not make it good; the other environment may.
            _ = try await store.put([first], now: .after(7_200))
            #expect(try await found(store, 1)?.quarantine == .badToken)
            first.environment = .sandbox
            _ = try await store.put([first], now: .after(7_201))
            #expect(try await found(store, 1)?.quarantine == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `devices are found by their token`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let registrations = try (1...3).map { try StorePattern.registration($0) }
            _ = try await store.put(registrations, now: .after(0))
            let keys = try await store.devices(
                token: registrations[1].token,
                environment: .production,
                tenant: registrations[1].key.tenant
            )
            #expect(keys == [registrations[1].key])
            let elsewhere = try await store.devices(
                token: registrations[1].token,
                environment: .production,
                tenant: try StorePattern.tenant(2)
            )
            #expect(elsewhere.isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `devices come in pages`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.put(try (1...25).map { try StorePattern.registration($0) }, now: .after(0))
            _ = try await store.put([try StorePattern.registration(7, tenant: 2)], now: .after(0))
            var seen: Set<DeviceID> = []
            var pageCount = 0
            var cursor: Cursor?
            repeat {
                let page = try await store.devices(tenant: try StorePattern.tenant(1), after: cursor, limit: 10)
                for device in page.elements { #expect(seen.insert(device.key.device).inserted) }
                pageCount += 1
                cursor = page.next
            } while cursor != nil
            #expect(seen.count == 25 && pageCount == 3)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a device that changes between two pages is still seen once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let tenant = try StorePattern.tenant(1)
            _ = try await store.put(try (1...25).map { try StorePattern.registration($0) }, now: .after(0))
            let first = try await store.devices(tenant: tenant, after: nil, limit: 10)
            _ = try await store.put(try (1...25).map { try StorePattern.registration($0, version: 2) }, now: .after(1))
            let gone = try #require(first.elements.first).key
            #expect(try await store.delete([gone]) == [true])
            let rest = try await store.devices(tenant: tenant, after: first.next, limit: 100)
            let seen = (first.elements + rest.elements).map(\.key)
            #expect(seen.count == 25 && Set(seen).count == 25)
            #expect(rest.next == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a device's bundle is its own, as its app gave it last`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var registrations = try (1...3).map { try StorePattern.registration($0, version: UInt64($0)) }
            registrations.append(try StorePattern.registration(1, tenant: 2, version: 4))
            registrations[1].bundle = []
            let keys = registrations.map(\.key)
            #expect(try await store.bundles(of: keys) == [nil, nil, nil, nil])
            _ = try await store.put(registrations, now: .after(0))
            #expect(try await store.bundles(of: keys) == registrations.map(\.bundle))
            registrations[0].bundle = StorePattern.payload(9, byteCount: 16_384)
            #expect(try await store.put([registrations[0]], now: .after(1)) == [.changed])
            #expect(try await store.bundles(of: keys) == registrations.map(\.bundle))
            // Another token leaves it as it is.
            registrations[2].token = try StorePattern.token(3, version: 9)
            #expect(try await store.put([registrations[2]], now: .after(2)) == [.changed])
            #expect(try await store.delete([keys[0]]) == [true])
            #expect(try await store.bundles(of: keys) == [nil] + registrations.dropFirst().map(\.bundle))
            // A device that comes back keeps nothing from before.
            registrations[0].bundle = [1]
            #expect(try await store.put([registrations[0]], now: .after(3)) == [.created])
            #expect(try await store.bundles(of: keys.reversed()) == registrations.reversed().map(\.bundle))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a tenant's device is nobody else's (abuse case 85)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let mine = try StorePattern.registration(1, tenant: 1)
            _ = try await store.put([mine], now: .after(0))
            let theirs = try StorePattern.registration(1, tenant: 2).key
            // A tenant that the store does not know, then one with a device of its own.
            #expect(try await store.devices([theirs]) == [.missing])
            let own = try StorePattern.registration(2, tenant: 2)
            _ = try await store.put([own], now: .after(0))
            #expect(try await store.devices([theirs]) == [.missing])
            #expect(try await store.bundles(of: [theirs]) == [nil])
            #expect(try await store.delete([theirs]) == [false])
            let gone = Unregistration(key: theirs, token: mine.token, timestamp: .after(9_000))
            #expect(try await store.unregister([gone]) == [.unknown])
            let other = theirs.tenant
            #expect(try await store.quarantine(token: mine.token, environment: .production, tenant: other) == 0)
            let listed = try await store.devices(tenant: other, after: nil, limit: 9).elements
            #expect(listed.map(\.key) == [own.key])
            #expect(try await found(store, 1)?.quarantine == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is too long is refused, and nothing of the batch is stored`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var long = try StorePattern.registration(2)
            long.bundle = StorePattern.payload(1, byteCount: Device.Registration.bundleByteCounts.upperBound + 1)
            let batch = [try StorePattern.registration(1), long]
            await #expect(throws: StoreError.byteCount(field: .bundle, of: Device.Registration.bundleByteCounts)) {
                _ = try await store.put(batch, now: .after(0))
            }
            #expect(try await found(store, 1) == nil)
        }
    }
}
