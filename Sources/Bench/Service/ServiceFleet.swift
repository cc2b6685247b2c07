package import APNS
package import Envelope
private import Primitives
package import PushStore

/// Devices as the relay has them after their apps have registered, written into its store before it starts: ten million
/// registrations over HTTP would measure something else.
package enum ServiceFleet {
    private static let batchCount = 1_000
    /// As long as a device's signed bundle; only senders read it.
    private static let bundleByteCount = 400

    /// - Parameters:
    ///   - count: devices; they share the tokens.
    ///   - path: the relay's database, not open.
    ///   - key: of its device tokens.
    ///   - tokens: that the simulator knows.
    ///   - now: the wall clock.
    /// - Throws: `StoreError`.
    package static func fill(
        _ count: Int,
        path: String,
        key: borrowing StoreKey,
        tokens: [DeviceToken],
        now: Timestamp
    ) async throws {
        let store = try SQLiteStore(path: path, key: key, now: now)
        let tenant = try TenantID("acme")
        let topic = try Topic(ServiceBodies.topic)
        var random = SystemRandom()
        let bundle = random.bytes(count: bundleByteCount)
        for start in stride(from: 0, to: count, by: batchCount) {
            let registrations = try (start..<min(start + batchCount, count)).map { number in
                Device.Registration(
                    key: DeviceKey(tenant: tenant, device: try DeviceID(ServiceBodies.device(number))),
                    topic: topic,
                    environment: .sandbox,
                    token: tokens[number % tokens.count],
                    bundle: bundle,
                    language: "en",
                    region: "CH"
                )
            }
            _ = try await store.put(registrations, now: now)
        }
        await store.close()
    }
}
