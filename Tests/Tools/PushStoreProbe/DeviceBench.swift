import PushStore
import PushStorePattern
import TestSupport

enum DeviceBench {
    private static let batchCount = 1_000
    private static let lookupCount = 200_000

    static func run(_ store: SQLiteStore, _ deviceCount: Int) async throws {
        try await StoreBench.measure("put of \(deviceCount) devices", deviceCount) {
            for start in stride(from: 0, to: deviceCount, by: batchCount) {
                let registrations = try (start..<min(start + batchCount, deviceCount)).map {
                    try StorePattern.registration($0)
                }
                _ = try await store.put(registrations, now: StorePattern.start)
            }
        }
        let tenant = try StorePattern.tenant(1)
        for size in [1, 64] {
            var random = SeededRandom(seed: 0x4465_7669_6365_4265)
            try await StoreBench.measure("look for a device, \(size) at once", lookupCount) {
                for _ in 0..<lookupCount / size {
                    let keys = try (0..<size).map { _ in
                        DeviceKey(
                            tenant: tenant,
                            device: try StorePattern.device(Int(random.next() % UInt64(deviceCount)))
                        )
                    }
                    for lookup in try await store.devices(keys) {
                        guard case .found = lookup else { throw StoreError.damaged }
                    }
                }
            }
        }
    }
}
