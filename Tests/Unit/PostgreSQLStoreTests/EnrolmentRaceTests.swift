import APNS
import Envelope
import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Endpoints and enrolments that several relays take at the same time.
@Suite(.needsServer)
struct EnrolmentRaceTests {
    private static func hash(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: PushEndpoint.hashByteCount) }

    private static func key(_ byte: UInt8, counter: UInt32 = 0) -> AttestedKey {
        AttestedKey(id: hash(byte), publicKey: hash(byte) + hash(byte), counter: counter, challenged: .after(0))
    }

    private func enrolment(
        _ number: Int,
        _ attestation: Enrolment.Attestation?,
        countMax: Int = 100
    ) throws -> Enrolment {
        Enrolment(
            try StorePattern.registration(number),
            keyHash: Self.hash(UInt8(number)),
            attestation: attestation,
            deviceCountMax: countMax
        )
    }

    @Test func `an assertion of App Attest counts once, at whichever relay`() async throws {
        let stage = try await StoreStage()
        let first = try enrolment(1, .first(Self.key(7)))
        #expect(try await stage.stores[0].enrol(first, now: .after(0)) == .enrolled(.created))
        for counter in 1...3 as ClosedRange<UInt32> {
            let again = Enrolment.Attestation.again(
                keyID: Self.hash(7),
                counter: counter,
                challenged: .after(Int(counter))
            )
            let enrolment = try enrolment(1, again)
            try await stage.race("SELECT FROM sealedpush.attested FOR UPDATE", waiting: 2) {
                async let one = stage.stores[0].enrol(enrolment, now: .after(10))
                async let other = stage.stores[1].enrol(enrolment, now: .after(10))
                let results = [try await one, try await other]
                #expect(results.count { $0 == .enrolled(.unchanged) } == 1 && results.count { $0 == .repeated } == 1)
            }
            #expect(try await stage.stores[0].attestedKey(of: first.registration.key)?.counter == counter)
        }
        await stage.close()
    }

    @Test func `of two devices that enrol with one key of App Attest at once one gets it`() async throws {
        let stage = try await StoreStage()
        for round in 0..<10 {
            let key = Self.key(UInt8(100 + round))
            let enrolments = [
                try enrolment(2 * round + 1, .first(key)), try enrolment(2 * round + 2, .first(key)),
            ]
            async let one = stage.stores[0].enrol(enrolments[0], now: .after(0))
            async let other = stage.stores[1].enrol(enrolments[1], now: .after(0))
            let results = [try await one, try await other]
            #expect(results.count { $0 == .enrolled(.created) } == 1 && results.count { $0 == .taken } == 1)
            // The other one left nothing behind.
            let loser = enrolments[results[0] == .taken ? 0 : 1]
            #expect(try await stage.stores[0].devices([loser.registration.key]) == [.missing])
            #expect(try await stage.stores[0].device(endpointKey: loser.keyHash) == nil)
        }
        await stage.close()
    }

    @Test func `an app has as many enrolled devices as it may, over all relays, and each end makes room`() async throws
    {
        let stage = try await StoreStage()
        let results = try await withThrowingTaskGroup(of: EnrolmentResult.self) { group in
            for number in 1...12 {
                let enrolment = try enrolment(number, nil, countMax: 5)
                let store = stage.stores[number % 2]
                group.addTask { try await store.enrol(enrolment, now: .after(0)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 == .enrolled(.created) } == 5 && results.count { $0 == .full } == 7)
        let registration = try StorePattern.registration(1)
        let app = GatewayApp(
            tenant: registration.key.tenant,
            topic: registration.topic,
            environment: registration.environment
        )
        #expect(try await stage.stores[1].gatewayCounts(app).deviceCount == 5)
        let page = try await stage.stores[0].devices(tenant: registration.key.tenant, after: nil, limit: 100)
        // By a deletion, a 410, and a key of the tenant's.
        let ends = page.elements
        #expect(try await stage.stores[0].delete([ends[0].key]) == [true])
        let gone = Unregistration(key: ends[1].key, token: ends[1].token, timestamp: .after(9_000))
        #expect(try await stage.stores[1].unregister([gone]) == [.deleted])
        #expect(try await stage.stores[1].setEndpointKey(Self.hash(200), of: ends[2].key) == .set)
        #expect(try await stage.stores[0].gatewayCounts(app).deviceCount == 2)
        await stage.close()
    }

    @Test func `a device's hundredth endpoint is its last, at whichever relay`() async throws {
        let stage = try await StoreStage()
        let device = try StorePattern.registration(1)
        _ = try await stage.stores[0].put([device], now: .after(0))
        let results = try await withThrowingTaskGroup(of: EndpointAddition.self) { group in
            for number in 0..<110 {
                let endpoint = PushEndpoint(hash: Self.hash(UInt8(number)), device: device.key, created: .after(number))
                let store = stage.stores[number % 2]
                group.addTask { try await store.add(endpoint) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 == .added } == PushEndpoint.countMax && results.count { $0 == .full } == 10)
        #expect(try await stage.stores[0].endpoints(of: device.key).count == PushEndpoint.countMax)
        await stage.close()
    }

    @Test func `an endpoint of a device that another relay deletes at the same time ends with it`() async throws {
        let stage = try await StoreStage()
        for number in 1...10 {
            let device = try StorePattern.registration(number)
            _ = try await stage.stores[0].put([device], now: .after(0))
            let endpoint = PushEndpoint(hash: Self.hash(UInt8(number)), device: device.key, created: .after(0))
            async let added = stage.stores[0].add(endpoint)
            async let deleted = stage.stores[1].delete([device.key])
            #expect([.added, .noDevice].contains(try await added))
            #expect(try await deleted == [true])
            #expect(try await stage.pool.run("SELECT FROM sealedpush.endpoint").rowCount == 0)
        }
        await stage.close()
    }

    @Test func `counts of pushes add up over relays`() async throws {
        let stage = try await StoreStage()
        let device = try StorePattern.registration(1)
        _ = try await stage.stores[0].put([device], now: .after(0))
        for number in 1...2 as ClosedRange<UInt8> {
            let endpoint = PushEndpoint(hash: Self.hash(number), device: device.key, created: .after(Int(number)))
            _ = try await stage.stores[0].add(endpoint)
        }
        let app = GatewayApp(tenant: device.key.tenant, topic: device.topic, environment: device.environment)
        var deltas = GatewayDeltas()
        for number in 1...2 as ClosedRange<UInt8> {
            deltas.endpoints[Self.hash(number)] = GatewayCounts(accepted: 1, refused: 2)
        }
        deltas.apps[app] = GatewayCounts(accepted: 2, refused: 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<20 {
                let (store, deltas) = (stage.stores[round % 2], deltas)
                group.addTask { try await store.add(deltas) }
            }
            try await group.waitForAll()
        }
        #expect(try await stage.stores[0].gatewayCounts(app).counts == GatewayCounts(accepted: 40, refused: 80))
        for counted in try await stage.stores[1].countedEndpoints(of: device.key) {
            #expect(counted.counts == GatewayCounts(accepted: 20, refused: 40))
        }
        await stage.close()
    }
}
