import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

/// A device's tokens of Live Activities, widgets, controls and location. The step of sightings is an hour.
struct ExtraTokenTests {
    private func registration(_ number: Int = 1) throws -> Device.Registration {
        var registration = try StorePattern.registration(number)
        registration.extraTokens = try TokenPurpose.Kind.allCases.enumerated().map { index, kind in
            let purpose = try #require(TokenPurpose(kind, name: index < 2 ? "order-\(index)" : ""))
            return ExtraToken(purpose, try StorePattern.token(1_000 * number + index))
        }
        return registration
    }

    private func found(_ store: any RelayStore) async throws -> Device? {
        let key = try StorePattern.registration(1).key
        guard case .found(let device) = try await store.devices([key])[0] else { return nil }
        return device
    }

    @Test(arguments: StoreEngine.all)
    func `they are kept, and come and go without the others`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let with = try registration()
            var fewer = with
            fewer.extraTokens.removeLast()
            var without = with
            without.extraTokens = []
            for (second, registration) in [(0, with), (1, fewer), (2, without), (3, with)] {
                let result = try await store.put([registration], now: .after(second))
                #expect(result == [second == 0 ? .created : .changed])
                let device = try #require(try await found(store))
                #expect(device.holds(registration) && device.registered == .after(0))
                #expect(try await store.put([registration], now: .after(second)) == [.unchanged])
            }
        }
    }

    @Test func `each push has the token of its purpose`() throws {
        let device = Device(registration: try registration())
        for token in device.extraTokens {
            #expect(device.token(for: .liveactivity, token.purpose) == token.token)
        }
        #expect(device.token(for: .background, nil) == device.token && device.token(for: .voip, nil) == nil)
        #expect(device.token(for: .liveactivity, TokenPurpose(.liveActivity, name: "other")) == nil)
    }

    @Test(arguments: StoreEngine.all)
    func `a 410 for one takes off it alone, also in doubt, and the next launch brings it back`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            let registration = try registration()
            _ = try await store.put([registration], now: .after(0))
            let early = Unregistration(
                key: registration.key,
                token: registration.extraTokens[0].token,
                timestamp: .after(-1),
                purpose: registration.extraTokens[0].purpose
            )
            #expect(try await store.unregister([early]) == [.registeredSince])
            #expect(try await found(store)?.holds(registration) == true)
            for (index, second) in [(1, 2_000), (0, 3_600)] {
                let own = registration.extraTokens[index]
                let gone = Unregistration(
                    key: registration.key,
                    token: own.token,
                    timestamp: .after(second),
                    purpose: own.purpose
                )
                #expect(try await store.unregister([gone]) == [.deleted])
                #expect(try await store.unregister([gone]) == [.otherToken])
            }
            let device = try #require(try await found(store))
            #expect(device.extraTokens == Array(registration.extraTokens.dropFirst(2)))
            #expect(device.token == registration.token && device.quarantine == nil)
            #expect(try await store.put([registration], now: .after(3_700)) == [.changed])
            #expect(try await found(store)?.holds(registration) == true)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `an entry keeps its token's purpose, also when it is replayed`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var entry = try StorePattern.entry(1)
            entry.purpose = TokenPurpose(.liveActivity, name: "order-7")
            let tenant = try StorePattern.tenant(1)
            let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: [entry])
            guard case .stored(let ids)? = try await store.enqueue([request], now: .after(0)).first else { return }
            #expect(try await store.entries(ids, tenant: tenant).map { $0?.purpose } == [entry.purpose])
            let until = Timestamp.after(60)
            let demand = TakeDemand(lane: entry.lane, limit: 1, now: .after(0), leasedUntil: until)
            let taken = try await store.take(demand)
            #expect(taken.map(\.entry.purpose) == [entry.purpose])
            _ = try await store.markSending(taken.map(\.lease), now: .after(0))
            let attempt = Attempt(time: .after(0), connection: .answered, status: 400)
            let outcomes = taken.map { Outcome(lease: $0.lease, attempt: attempt, verdict: .dead(.rejected)) }
            _ = try await store.finish(outcomes, now: .after(1))
            let replay = Replay(id: ids[0], apnsID: StorePattern.apnsID(99), deadline: .after(9_000))
            guard case .replayed(let copy)? = try await store.replay([replay], tenant: tenant, now: .after(2)).first
            else {
                Issue.record("it was not replayed")
                return
            }
            #expect(try await store.entries([copy], tenant: tenant).map { $0?.purpose } == [entry.purpose])
        }
    }
}
