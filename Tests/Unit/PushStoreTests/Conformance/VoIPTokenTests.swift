import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

/// A device's second token, for calls. The step of sightings is an hour.
struct VoIPTokenTests {
    private func registration(_ number: Int = 1, version: UInt64 = 1) throws -> Device.Registration {
        var registration = try StorePattern.registration(number)
        registration.voIPToken = try StorePattern.token(number + 1_000, version: version)
        return registration
    }

    private func found(_ store: any RelayStore, _ number: Int = 1) async throws -> Device? {
        let key = try StorePattern.registration(number).key
        guard case .found(let device) = try await store.devices([key])[0] else { return nil }
        return device
    }

    @Test(arguments: StoreEngine.all)
    func `it is kept, and comes and goes without the other one`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let with = try registration()
            var without = with
            without.voIPToken = nil
            for (second, registration) in [(0, with), (1, without), (2, with)] {
                let result = try await store.put([registration], now: .after(second))
                #expect(result == [second == 0 ? .created : .changed])
                let device = try #require(try await found(store))
                #expect(device.holds(registration) && device.registered == .after(0))
                #expect(try await store.put([registration], now: .after(second)) == [.unchanged])
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `devices are found by it`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let devices = try [registration(1), registration(2)]
            _ = try await store.put(devices, now: .after(0))
            for token in [devices[1].voIPToken, devices[1].token] {
                let keys = try await store.devices(
                    token: try #require(token),
                    environment: .production,
                    tenant: devices[1].key.tenant
                )
                #expect(keys == [devices[1].key])
            }
            let elsewhere = try await store.devices(
                token: try #require(devices[1].voIPToken),
                environment: .sandbox,
                tenant: devices[1].key.tenant
            )
            #expect(elsewhere.isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a 410 for it takes off it alone, and the next launch brings it back`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let registration = try registration()
            let token = try #require(registration.voIPToken)
            _ = try await store.put([registration], now: .after(0))
            let gone = Unregistration(key: registration.key, token: token, timestamp: .after(3_600))
            #expect(try await store.unregister([gone]) == [.deleted])
            let device = try #require(try await found(store))
            #expect(device.voIPToken == nil && device.token == registration.token)
            #expect(device.quarantine == nil && device.registered == .after(0))
            #expect(try await store.unregister([gone]) == [.otherToken])
            #expect(try await store.put([registration], now: .after(3_700)) == [.changed])
            #expect(try await found(store)?.holds(registration) == true)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a 410 for it of before the registration, or for one of before, changes nothing`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            let registration = try registration(version: 2)
            _ = try await store.put([registration], now: .after(10))
            let token = try #require(registration.voIPToken)
            let early = Unregistration(key: registration.key, token: token, timestamp: .after(9))
            let old = try #require(try self.registration(version: 1).voIPToken)
            let other = Unregistration(key: registration.key, token: old, timestamp: .after(9_000))
            #expect(try await store.unregister([early, other]) == [.registeredSince, .otherToken])
            #expect(try await found(store)?.holds(registration) == true)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a 410 for it that a launch may have followed sets it aside until the next launch`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            let registration = try registration()
            _ = try await store.put([registration], now: .after(0))
            let token = try #require(registration.voIPToken)
            let gone = Unregistration(key: registration.key, token: token, timestamp: .after(2_000))
            #expect(try await store.unregister([gone]) == [.quarantined])
            let device = try #require(try await found(store))
            #expect(device.voIPToken == nil && device.voIPQuarantine == .unconfirmed)
            #expect(device.quarantine == nil)
            #expect(try await store.put([registration], now: .after(3_100)) == [.seen])
            #expect(try await found(store)?.holds(registration) == true)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a 410 for the other one ends the device with both`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let registration = try registration()
            _ = try await store.put([registration], now: .after(0))
            let gone = Unregistration(key: registration.key, token: registration.token, timestamp: .after(3_600))
            #expect(try await store.unregister([gone]) == [.deleted])
            #expect(try await found(store) == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a bad one is set aside alone, until another one comes`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var registration = try registration()
            _ = try await store.put([registration], now: .after(0))
            let token = try #require(registration.voIPToken)
            let tenant = registration.key.tenant
            #expect(try await store.quarantine(token: token, environment: .sandbox, tenant: tenant) == 0)
            #expect(try await store.quarantine(token: token, environment: .production, tenant: tenant) == 1)
            let device = try #require(try await found(store))
            #expect(device.voIPQuarantine == .badToken && device.quarantine == nil)
            #expect(device.voIPToken == nil && device.token == registration.token)
            // Neither a launch nor another token of the first kind makes it good.
            #expect(try await store.put([registration], now: .after(7_200)) == [.seen])
            registration.token = try StorePattern.token(1, version: 2)
            #expect(try await store.put([registration], now: .after(7_201)) == [.changed])
            #expect(try await found(store)?.voIPQuarantine == .badToken)
            registration.voIPToken = try self.registration(version: 2).voIPToken
            #expect(try await store.put([registration], now: .after(7_202)) == [.changed])
            let mended = try #require(try await found(store))
            #expect(mended.holds(registration) && mended.voIPQuarantine == nil)
            #expect(mended.registered == .after(7_201))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a quarantine of the other one outlives a new one for calls`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let first = try registration()
            _ = try await store.put([first], now: .after(0))
            _ = try await store.quarantine(token: first.token, environment: .production, tenant: first.key.tenant)
            let second = try registration(version: 2)
            #expect(try await store.put([second], now: .after(1)) == [.changed])
            let device = try #require(try await found(store))
            #expect(device.holds(second) && device.quarantine == .badToken && device.voIPQuarantine == nil)
        }
    }
}
