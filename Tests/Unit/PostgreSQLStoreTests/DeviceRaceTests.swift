import APNS
import Envelope
import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Devices that several relays change at the same time.
@Suite(.needsServer)
struct DeviceRaceTests {
    private static let lockDevices: Statement = "SELECT FROM sealedpush.device FOR UPDATE"

    private func found(_ store: PostgreSQLStore, _ key: DeviceKey) async throws -> Device? {
        guard case .found(let device) = try await store.devices([key])[0] else { return nil }
        return device
    }

    @Test func `of relays that register a new device at once one makes it, and the others find it`() async throws {
        let stage = try await StoreStage(relays: 3)
        for number in 1...20 {
            let registration = try StorePattern.registration(number)
            let results = try await withThrowingTaskGroup(of: PutResult.self) { group in
                for store in stage.stores {
                    group.addTask { try await store.put([registration], now: StorePattern.start)[0] }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count { $0 == .created } == 1 && results.count { $0 == .unchanged } == 2)
            #expect(try await found(stage.stores[0], registration.key)?.holds(registration) == true)
        }
        await stage.close()
    }

    @Test(arguments: [false, true])
    func `a 410 never ends a registration that another relay takes at the same time (other token)`(
        _ isOtherToken: Bool
    ) async throws {
        let stage = try await StoreStage()
        let (first, second) = (stage.stores[0], stage.stores[1])
        for _ in 0..<3 {
            let before = try StorePattern.registration(1)
            _ = try await first.put([before], now: .after(0))
            var after = before
            if isOtherToken { after.token = try StorePattern.token(1, version: 2) }
            let again = after
            let gone = Unregistration(key: before.key, token: before.token, timestamp: .after(7_200))
            try await stage.race(Self.lockDevices, waiting: 2) {
                async let ended = first.unregister([gone])
                async let put = second.put([again], now: .after(10_800))
                let results = (try await ended[0], try await put[0])
                let kept: UnregisterResult = isOtherToken ? .otherToken : .registeredSince
                let changed: PutResult = isOtherToken ? .changed : .seen
                #expect([kept, .deleted].contains(results.0))
                #expect(results.1 == (results.0 == .deleted ? .created : changed))
            }
            let device = try #require(try await found(second, before.key))
            #expect(device.holds(after) && device.seen == .after(10_800))
            #expect(try await first.delete([before.key]) == [true])
        }
        await stage.close()
    }

    @Test func `what relays change of a device at the same time is all there afterwards`() async throws {
        let stage = try await StoreStage(relays: 3)
        let before = try StorePattern.registration(1)
        _ = try await stage.stores[0].put([before], now: .after(0))
        var after = before
        after.language = "fr"
        let again = after
        let reached = ReachedToken(token: before.token, environment: before.environment, tenant: before.key.tenant)
        try await stage.race(Self.lockDevices, waiting: 3) {
            async let put = stage.stores[0].put([again], now: .after(1))
            async let mark: Void = stage.stores[1].markReached([reached])
            async let count = stage.stores[2].quarantine(
                token: before.token,
                environment: before.environment,
                tenant: before.key.tenant
            )
            #expect(try await put == [.changed])
            try await mark
            #expect(try await count == 1)
        }
        let device = try #require(try await found(stage.stores[0], before.key))
        #expect(device.language == after.language && device.isReached && device.quarantine == .badToken)
        await stage.close()
    }

    @Test func `a device twice in one call is changed twice, in order`() async throws {
        let stage = try await StoreStage(relays: 1)
        let store = stage.stores[0]
        let (first, second) = (try StorePattern.registration(1), try StorePattern.registration(1, version: 2))
        #expect(try await store.put([first, second, second], now: .after(0)) == [.created, .changed, .unchanged])
        #expect(try await found(store, first.key)?.holds(second) == true)
        #expect(try await store.delete([first.key, first.key]) == [true, false])
        await stage.close()
    }

    @Test func `calls with a thousand devices in opposite orders both succeed`() async throws {
        let stage = try await StoreStage()
        let devices = try (1...1_000).map { try StorePattern.registration($0) }
        _ = try await stage.stores[0].put(devices, now: .after(0))
        let forth = devices.map { changed($0, "fr") }
        let back: [Device.Registration] = devices.reversed().map { changed($0, "it") }
        async let one = stage.stores[0].put(forth, now: .after(1))
        async let other = stage.stores[1].put(back, now: .after(1))
        let results = try await one + other
        #expect(results.allSatisfy { $0 == .changed })
        await stage.close()
    }

    private func changed(_ registration: Device.Registration, _ language: String) -> Device.Registration {
        var registration = registration
        registration.language = language
        return registration
    }

    @Test func `another key than the database's is refused`() async throws {
        let stage = try await StoreStage(relays: 1)
        let relay = RelayID(high: 9, low: 9)
        await #expect(throws: StoreError.wrongKey) {
            try await PostgreSQLStore.open(
                try stage.stage.pool(as: relay),
                key: try StorePattern.key(8),
                relay: relay,
                now: StorePattern.start
            )
        }
        await stage.close()
    }

    @Test func `a damaged row is known as that, and the next launch mends it`() async throws {
        let stage = try await StoreStage(relays: 1)
        let store = stage.stores[0]
        let devices = try (1...2).map { try StorePattern.registration($0) }
        _ = try await store.put(devices, now: .after(0))
        let damages: [Statement] = [
            "UPDATE sealedpush.device SET environment = 9 WHERE id = $1",
            // Of another device: it does not open here.
            """
            UPDATE sealedpush.device SET token = (SELECT token FROM sealedpush.device WHERE id <> $1 LIMIT 1)
            WHERE id = $1
            """,
        ]
        for damage in damages {
            try await stage.pool.run(damage, .bytes(devices[0].key.device.bytes))
            #expect(try await store.devices([devices[0].key])[0] == .damaged)
            #expect(try await store.put([devices[0]], now: .after(1)) == [.changed])
            #expect(try await found(store, devices[0].key)?.holds(devices[0]) == true)
        }
        await stage.close()
    }

    @Test func `no token is in the database in clear`() async throws {
        let stage = try await StoreStage(relays: 1)
        var registration = try StorePattern.registration(1)
        registration.voIPToken = try StorePattern.token(2)
        let purpose = try #require(TokenPurpose(.widgets))
        registration.extraTokens = [ExtraToken(purpose, try StorePattern.token(3))]
        _ = try await stage.stores[0].put([registration], now: .after(0))
        for number in 1...3 {
            let look: Statement = """
                SELECT FROM sealedpush.device
                WHERE position($1 IN token || fingerprint || voip_token || voip_fingerprint || extra_tokens) > 0
                """
            let token = try StorePattern.token(number).bytes
            #expect(try await stage.pool.run(look, .bytes(Array(token.prefix(8)))).rowCount == 0)
        }
        await stage.close()
    }
}

extension Timestamp {
    static func after(_ seconds: Int) -> Timestamp { StorePattern.start.advanced(by: .seconds(seconds)) }
}
