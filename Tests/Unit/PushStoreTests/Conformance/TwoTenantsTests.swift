import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

struct TwoTenantsTests {
    private static func registration(tenant: Int, version: UInt64) throws -> Device.Registration {
        var registration = try StorePattern.registration(1, tenant: tenant, version: version)
        registration.voIPToken = try StorePattern.token(100 + tenant, version: version)
        return registration
    }

    @Test(arguments: StoreEngine.all, [false, true])
    func `whatever becomes of one's device, another's of the same name stays as it is (abuse case 85)`(
        _ engine: StoreEngine,
        _ isSetAside: Bool
    ) async throws {
        try await engine.with { store in
            let mine = try Self.registration(tenant: 1, version: 1)
            let theirs = try Self.registration(tenant: 2, version: 2)
            _ = try await store.put([mine, theirs], now: .after(0))
            // In both directions: one's launch might lift, and one's 410 might set, the other's quarantine.
            if isSetAside {
                for token in [theirs.token, try #require(theirs.voIPToken)] {
                    let tenant = theirs.key.tenant
                    #expect(try await store.quarantine(token: token, environment: .production, tenant: tenant) == 1)
                }
            }
            guard case .found(let before) = try await store.devices([theirs.key])[0] else { throw NotStored() }
            func isLeft(_ act: String) async throws {
                let after = try await store.devices([theirs.key])
                #expect(after == [.found(before)], "\(act)")
            }
            for (act, token) in [("410", mine.token), ("410 for calls", try #require(mine.voIPToken))] {
                let gone = Unregistration(key: mine.key, token: token, timestamp: .after(1_000))
                #expect(try await store.unregister([gone]) == [.quarantined])
                try await isLeft(act)
            }
            #expect(try await store.put([mine], now: .after(7_200)) == [.seen])
            try await isLeft("a launch")
            let tenant = mine.key.tenant
            for token in [mine.token, try #require(mine.voIPToken), theirs.token] {
                _ = try await store.quarantine(token: token, environment: .production, tenant: tenant)
                try await isLeft("a bad token")
            }
            var changed = try Self.registration(tenant: 1, version: 3)
            #expect(try await store.put([changed], now: .after(7_300)) == [.changed])
            try await isLeft("another token")
            changed.appVersion = "9"
            #expect(try await store.put([changed], now: .after(7_400)) == [.changed])
            try await isLeft("another version")
            let calls = try #require(changed.voIPToken)
            let gone = Unregistration(key: changed.key, token: calls, timestamp: .after(99_000))
            #expect(try await store.unregister([gone]) == [.deleted])
            try await isLeft("no calls any more")
            #expect(try await store.delete([mine.key]) == [true])
            try await isLeft("a deletion")
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what one has parked comes back alone (abuse case 85)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let mine = try await store.store(try StorePattern.entry(1))
            let theirs = try await store.store(try StorePattern.entry(2), tenant: 2)
            for one in try await store.sendAll() { _ = try await store.finish(one, .park) }
            let (tenant, topic) = (try StorePattern.tenant(1), try StorePattern.topic())
            #expect(try await store.release(tenant: tenant, topic: topic, limit: 10, now: .after(9)) == 1)
            #expect(try await store.state(mine[0]) == .queued)
            #expect(try await store.state(theirs[0], tenant: 2) == .parked)
        }
    }
}
