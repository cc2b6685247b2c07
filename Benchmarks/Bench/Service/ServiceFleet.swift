import APNS
package import Envelope
private import Primitives
package import PushStore

/// Registered devices, written into the relay's store before it starts: ten million registrations over HTTP would
/// measure something else.
package struct ServiceFleet: Sendable {
    private static let batchCount = 4_000
    /// As long as a device's signed bundle, which only senders read.
    private static let bundleByteCount = 400
    /// Tokens of the simulator; neighbours share one, so that adjacent writes belong together.
    private static let tokenCountMax = 20_000

    private let load: ServiceLoad
    private let tokens: [DeviceToken]
    private let goneTokens: [DeviceToken]
    private let parkedTokens: [DeviceToken]

    package init(for load: ServiceLoad, at apns: ServiceAPNS) async throws {
        self.load = load
        tokens = try await apns.enrol(min(load.deviceCount, Self.tokenCountMax), ServiceBodies.topic)
        let (goneCount, parkedCount) =
            load.isMixed ? (ServiceRecipient.goneCount, ServiceRecipient.parkedCount) : (0, 0)
        goneTokens = try await apns.enrol(goneCount, ServiceBodies.topic, isGone: true)
        parkedTokens = try await apns.enrol(parkedCount, ServiceBodies.parkedTopic)
    }

    /// Writes all devices into the store of a stopped relay.
    ///
    /// - Throws: `StoreError`; `ServiceBenchError.stopped` if the task is cancelled.
    package func register(in store: any RelayStore, now: Timestamp) async throws {
        var random = SystemRandom()
        let bundle = random.bytes(count: Self.bundleByteCount)
        for (number, token) in goneTokens.enumerated() {
            _ = try await store.put([try registration(.gone(number), token, bundle)], now: now)
        }
        for (number, token) in parkedTokens.enumerated() {
            _ = try await store.put([try registration(.parked(number), token, bundle)], now: now)
        }
        let numbers = try await numbers(inOrderOf: store)
        for start in stride(from: 0, to: load.deviceCount, by: Self.batchCount) {
            guard !Task.isCancelled else { throw ServiceBenchError.stopped }
            let end = min(start + Self.batchCount, load.deviceCount)
            let registrations = try (start..<end).map { index in
                try registration(.device(numbers[index]), tokens[index * tokens.count / load.deviceCount], bundle)
            }
            _ = try await store.put(registrations, now: now)
            guard load.isThroughEndpoints || load.strangersRate != nil else { continue }
            let endpoints = try (start..<end).map { index in
                let number = numbers[index]
                return ServiceEndpoints.endpoint(number, of: try key(.device(number)), created: now)
            }
            guard let file = store as? SQLiteStore else {
                for endpoint in endpoints { _ = try await store.add(endpoint) }
                continue
            }
            try await file.write(weight: endpoints.count) { writer throws(StoreError) in
                for endpoint in endpoints { _ = try writer.add(endpoint) }
            }
        }
    }

    /// Device numbers in row order: in another order each transaction would write as many pages as it has devices, and
    /// ten million would take an hour.
    private func numbers(inOrderOf store: any RelayStore) async throws -> [Int] {
        guard let store = store as? SQLiteStore else { return Array(0..<load.deviceCount) }
        var places: [(order: Int64, number: Int)] = []
        places.reserveCapacity(load.deviceCount)
        for start in stride(from: 0, to: load.deviceCount, by: Self.batchCount) {
            let numbers = start..<min(start + Self.batchCount, load.deviceCount)
            let keys = try numbers.map { try key(.device($0)) }
            places += zip(try await store.order(of: keys), numbers).map { (order: $0, number: $1) }
        }
        places.sort { $0.order < $1.order }
        return places.map(\.number)
    }

    private func registration(
        _ recipient: ServiceRecipient,
        _ token: DeviceToken,
        _ bundle: [UInt8]
    ) throws -> Device.Registration {
        var topic = ServiceBodies.topic
        if case .parked = recipient { topic = ServiceBodies.parkedTopic }
        return Device.Registration(
            key: try key(recipient),
            topic: try Topic(topic),
            environment: .sandbox,
            token: token,
            bundle: bundle,
            language: "en",
            region: "CH"
        )
    }

    private func key(_ recipient: ServiceRecipient) throws -> DeviceKey {
        let tenant = ServiceLoad.tenant(recipient.tenant(of: load.tenantCount))
        return DeviceKey(tenant: try TenantID(tenant), device: try DeviceID(recipient.deviceID))
    }

    /// Stores expired notifications, which the relay has to end as expired.
    ///
    /// - Parameters:
    ///   - count: At most 1,000.
    ///   - store: Store of a stopped relay.
    package static func leaveExpired(_ count: Int, in store: any RelayStore, now: Timestamp) async throws {
        var random = SystemRandom()
        let device = try DeviceID(ServiceRecipient.device(0).deviceID)
        let topic = try Topic(ServiceBodies.topic)
        let entries = (0..<count).map { _ in
            NewEntry(
                device: device,
                topic: topic,
                apnsID: APNSID(randomBytes: random.bytes(count: 16)),
                lane: .normal,
                pushType: .alert,
                priority: .immediate,
                deadline: now,
                payload: Array("{}".utf8)
            )
        }
        let request = try OutboxRequest(tenant: try TenantID(ServiceLoad.tenant(0)), idempotency: nil, entries: entries)
        _ = try await store.enqueue([request], now: now)
    }
}
