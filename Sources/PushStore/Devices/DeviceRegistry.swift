package import APNS
package import Envelope

/// Known devices and their push addresses.
///
/// A device's key names its tenant and gives its shard. Device tokens are encrypted at rest.
package protocol DeviceRegistry: Sendable {
    /// Stores registrations, one result each, in order. An unchanged one, as at most launches, costs only a read.
    ///
    /// - Throws: `.byteCount`, `.noPlace`; then nothing is stored.
    func put(_ registrations: [Device.Registration], now: Timestamp) async throws(StoreError) -> [PutResult]

    /// Looks devices up; one result for each key, in order. The callback suits an event loop without tasks.
    @discardableResult
    func devices(_ keys: [DeviceKey], completion: @escaping StoreCompletion<[DeviceLookup]>) -> StoreCall

    /// Key bundles in order.
    ///
    /// - Returns: nil for an unknown device, or for a damaged bundle until the app's next launch.
    func bundles(of keys: [DeviceKey]) async throws(StoreError) -> [[UInt8]?]

    /// - Returns: tenant's devices with this token, of either kind, by id.
    func devices(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> [DeviceKey]

    /// - Parameter limit: clamped to 1 ... 1,000.
    /// - Returns: devices in the engine's own stable order, so that all pages show each lasting device once. Damaged
    ///   ones are left out.
    /// - Throws: `.invalidCursor`.
    func devices(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<Device>

    /// - Returns: for each, in order, true if it existed.
    func delete(_ keys: [DeviceKey]) async throws(StoreError) -> [Bool]

    /// Deletes devices, or tokens for calls, that APNs reported gone, unless the app registered since. One result each,
    /// in order.
    func unregister(_ unregistrations: [Unregistration]) async throws(StoreError) -> [UnregisterResult]

    /// Marks devices whose token APNs has accepted, until token, topic or environment change.
    func markReached(_ tokens: [ReachedToken]) async throws(StoreError)

    /// Stops pushes to a token, for all the tenant's devices with it. A token for calls alone leaves the rest.
    ///
    /// - Returns: number of devices.
    func quarantine(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> Int
}

extension DeviceRegistry {
    /// Async form.
    package func devices(_ keys: [DeviceKey]) async throws(StoreError) -> [DeviceLookup] {
        try await awaited { devices(keys, completion: $0) }
    }
}
