import Envelope
import Foundation
import Platform
import Primitives
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Endpoints that devices gave to servers, by hashes.
struct EndpointTests {
    private static func hash(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: PushEndpoint.hashByteCount) }

    private static func endpoint(_ byte: UInt8, of device: DeviceKey, expiry: Timestamp? = nil) -> PushEndpoint {
        PushEndpoint(hash: hash(byte), device: device, created: .after(0), expiry: expiry)
    }

    private static func find(_ byte: UInt8, in store: any RelayStore) async throws -> PushEndpoint? {
        let found: [EndpointTarget?] = try await withCheckedThrowingContinuation { continuation in
            store.endpoints([hash(byte), hash(255)]) { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
        #expect(found.count == 2 && found[1] == nil)
        return found[0]?.endpoint
    }

    @Test(arguments: StoreEngine.all)
    func `a device revokes its own alone, whatever hash it names`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let devices = [try StorePattern.registration(1), try StorePattern.registration(2)]
            _ = try await store.put(devices, now: .after(0))
            for (index, device) in devices.enumerated() {
                #expect(try await store.add(Self.endpoint(UInt8(index), of: device.key)) == .added)
            }
            #expect(try await !store.revoke(Self.hash(1), of: devices[0].key))
            #expect(try await Self.find(1, in: store) == Self.endpoint(1, of: devices[1].key))
            #expect(try await store.revoke(Self.hash(0), of: devices[0].key))
            #expect(try await Self.find(0, in: store) == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `they end with their device, also when Apple says that it is gone`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let device = try StorePattern.registration(1)
            _ = try await store.put([device], now: .after(0))
            _ = try await store.add(Self.endpoint(1, of: device.key))
            #expect(try await store.setEndpointKey(Self.hash(9), of: device.key) == .set)
            let gone = Unregistration(key: device.key, token: device.token, timestamp: .after(7_200))
            #expect(try await store.unregister([gone]) == [.deleted])
            // The next in its place.
            _ = try await store.put([device], now: .after(8_000))
            #expect(try await Self.find(1, in: store) == nil)
            #expect(try await store.device(endpointKey: Self.hash(9)) == nil)
            #expect(try await store.endpoints(of: device.key).isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a purge drops those that have ended, no more than it may, and no others`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let device = try StorePattern.registration(1)
            _ = try await store.put([device], now: .after(0))
            let expiries: [Timestamp?] = [nil, .after(7_200), .after(3_600), .after(10_800)]
            for (number, expiry) in zip((1 as UInt8)..., expiries) {
                #expect(try await store.add(Self.endpoint(number, of: device.key, expiry: expiry)) == .added)
            }
            func left() async throws -> [UInt8] {
                var left: [UInt8] = []
                for number in 1...4 as ClosedRange<UInt8> where try await Self.find(number, in: store) != nil {
                    left.append(number)
                }
                return left
            }
            #expect(try await store.purge(endedBefore: .after(3_599), limit: 10) == 0)
            #expect(try await left() == [1, 2, 3, 4])
            #expect(try await store.purge(endedBefore: .after(7_200), limit: 1) == 0)
            #expect(try await left() == [1, 2, 4])
            #expect(try await store.purge(endedBefore: .after(7_200), limit: 1) == 0)
            #expect(try await left() == [1, 4])
        }
    }

    private static func record(_ number: UInt8, _ endpoint: UInt8, expiry: Int = 60) -> KeptRecord {
        KeptRecord(name: hash(number), endpoint: hash(endpoint), expiry: .after(expiry), bytes: [number])
    }

    @Test(arguments: StoreEngine.all)
    func `an endpoint keeps its newest sixteen records until they expire, and takes none of another's`(
        _ engine: StoreEngine
    ) async throws {
        try await engine.with { store in
            let device = try StorePattern.registration(1)
            _ = try await store.put([device], now: .after(0))
            for number in [1, 2] as [UInt8] { _ = try await store.add(Self.endpoint(number, of: device.key)) }
            try await store.keep(Self.record(100, 2), now: .after(0))
            for number in 0...UInt8(KeptRecord.countMax) {
                try await store.keep(Self.record(number, 1), now: .after(0))
            }
            #expect(try await store.record(Self.hash(0), now: .after(0)) == nil)
            for number in 1...UInt8(KeptRecord.countMax) {
                #expect(try await store.record(Self.hash(number), now: .after(59)) == [number])
                #expect(try await store.record(Self.hash(number), now: .after(60)) == nil)
            }
            #expect(try await store.record(Self.hash(100), now: .after(0)) == [100])
            try await store.dropRecord(Self.hash(1))
            #expect(try await store.record(Self.hash(1), now: .after(0)) == nil)
            #expect(try await store.revoke(Self.hash(1), of: device.key))
            #expect(try await store.record(Self.hash(2), now: .after(0)) == nil)
            #expect(try await store.delete([device.key]) == [true])
            #expect(try await store.record(Self.hash(100), now: .after(0)) == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `without a device there is none`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let device = try StorePattern.registration(1).key
            #expect(try await store.add(Self.endpoint(1, of: device)) == .noDevice)
            #expect(try await store.setEndpointKey(Self.hash(9), of: device) == .noDevice)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `no device takes another's key`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let devices = [try StorePattern.registration(1), try StorePattern.registration(2)]
            _ = try await store.put(devices, now: .after(0))
            #expect(try await store.setEndpointKey(Self.hash(9), of: devices[0].key) == .set)
            #expect(try await store.setEndpointKey(Self.hash(9), of: devices[1].key) == .taken)
            #expect(try await store.setEndpointKey(Self.hash(9), of: devices[0].key) == .set)
            #expect(try await store.device(endpointKey: Self.hash(9)) == devices[0].key)
        }
    }

    @Test(arguments: [false, true])
    func `an endpoint takes 200 bytes of the disk at most, also with counts and an expiry`(
        _ expires: Bool
    ) async throws {
        let count = 20_000
        func byteCount(endpoints count: Int) async throws -> Int {
            let file = try StoreAtRest()
            let store = try file.open()
            var random = SeededRandom(seed: 0xE4D_901)
            let devices = try (1...200).map { try StorePattern.registration($0) }
            _ = try await store.put(devices, now: .after(0))
            let endpoints = (0..<count).map { index in
                PushEndpoint(
                    hash: random.bytes(count: 32),
                    device: devices[index % 200].key,
                    created: .after(index),
                    expiry: expires ? .after(86_400 + index) : nil
                )
            }
            try await store.write(weight: count) { writer throws(StoreError) in
                for endpoint in endpoints { _ = try writer.add(endpoint) }
            }
            var deltas = GatewayDeltas()
            for endpoint in endpoints {
                deltas.endpoints[endpoint.hash] = GatewayCounts(accepted: 1_000, refused: 1_000)
            }
            try await store.add(deltas)
            await store.close()
            return try Data(contentsOf: URL(filePath: file.path)).count
        }
        let each = (try await byteCount(endpoints: count) - (try await byteCount(endpoints: 0))) / count
        #expect((50...200).contains(each), "\(each)")
    }
}
