package import APNS
package import Envelope

extension SQLiteStore: DeviceRegistry {
    package func put(
        _ registrations: [Device.Registration],
        now: Timestamp
    ) async throws(StoreError) -> [PutResult] {
        for registration in registrations { try registration.check() }
        let step = settings.sightingStep
        let changes = try await read { reader throws(StoreError) in
            try reader.changes(registrations, now: now, step: step)
        }
        let changing = zip(registrations, changes).filter { $0.1 != .nothing }.map(\.0)
        guard !changing.isEmpty else { return registrations.map { _ in .unchanged } }
        let results = try await write(weight: changing.count, canBeRefused: true) {
            writer throws(StoreError) in
            try writer.put(changing, now: now)
        }
        var rest = results[...]
        return changes.map { $0 == .nothing ? .unchanged : rest.popFirst() ?? .unchanged }
    }

    @discardableResult
    package func devices(_ keys: [DeviceKey], completion: @escaping StoreCompletion<[DeviceLookup]>) -> StoreCall {
        read({ reader throws(StoreError) in try reader.devices(keys) }, completion: completion)
    }

    package func bundles(of keys: [DeviceKey]) async throws(StoreError) -> [[UInt8]?] {
        try await read { reader throws(StoreError) in try reader.bundles(of: keys) }
    }

    package func devices(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> [DeviceKey] {
        try await read { reader throws(StoreError) in
            try reader.devices(token: token, environment: environment, tenant: tenant)
        }
    }

    package func devices(
        tenant: TenantID,
        after cursor: Cursor?,
        limit: Int
    ) async throws(StoreError) -> Page<Device> {
        try await read { reader throws(StoreError) in
            try reader.devices(tenant: tenant, after: cursor, limit: limit)
        }
    }

    package func delete(_ keys: [DeviceKey]) async throws(StoreError) -> [Bool] {
        try await write(weight: keys.count) { writer throws(StoreError) in try writer.delete(keys) }
    }

    package func unregister(_ unregistrations: [Unregistration]) async throws(StoreError) -> [UnregisterResult] {
        try await write(weight: unregistrations.count) { writer throws(StoreError) in
            try writer.unregister(unregistrations)
        }
    }

    package func markReached(_ tokens: [ReachedToken]) async throws(StoreError) {
        try await write(weight: tokens.count) { writer throws(StoreError) in try writer.markReached(tokens) }
    }

    package func quarantine(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> Int {
        try await write { writer throws(StoreError) in
            try writer.quarantine(token, environment, tenant)
        }
    }
}

extension SQLiteStore {
    /// Orders the bulk load of an empty store: in this order each page is written once.
    ///
    /// - Parameter keys: of one tenant.
    /// - Returns: each row's place, in order, valid for this file only.
    package func order(of keys: [DeviceKey]) async throws(StoreError) -> [Int64] {
        try await write { writer throws(StoreError) in
            var order: [Int64] = []
            order.reserveCapacity(keys.count)
            for key in keys {
                let tenant = try writer.tenants.makeNumber(key.tenant)
                order.append(writer.places.places(of: key.device.bytes, tenant: tenant).lowerBound)
            }
            return order
        }
    }
}
