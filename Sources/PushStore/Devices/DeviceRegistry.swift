package import APNS
package import Envelope

/// The known devices and their push addresses.
///
/// A device's key names its tenant and gives its shard. Device tokens are encrypted at rest.
package protocol DeviceRegistry: Sendable {
    /// Stores registrations, which apps repeat at every launch. An unchanged one costs only a read.
    ///
    /// - Returns: one result for each, in order.
    /// - Throws: `.byteCount`, `.noPlace`; then nothing of the batch is stored.
    func put(_ registrations: [Device.Registration], now: Timestamp) async throws(StoreError) -> [PutResult]

    /// Looks devices up, for an event loop without a task of its own: one result for each key, in order.
    func devices(_ keys: [DeviceKey], completion: @escaping StoreCompletion<[DeviceLookup]>)

    /// Finds the key bundles that senders seal to; no notification needs them.
    ///
    /// - Returns: each device's registered bundle, in order. nil for an unknown device, or a damaged bundle, which the
    ///   app's next launch rewrites.
    func bundles(of keys: [DeviceKey]) async throws(StoreError) -> [[UInt8]?]

    /// - Returns: keys of the tenant's devices with this token, of either kind, in this environment; ordered by id.
    func devices(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> [DeviceKey]

    /// - Parameters:
    ///   - cursor: the end of the page before; nil for the first page.
    ///   - limit: clamped to 1 ... 1,000.
    /// - Returns: devices in the engine's own order. A device keeps its place until it is deleted, so all pages show
    ///   each lasting device once. Damaged ones are left out.
    /// - Throws: `.invalidCursor`.
    func devices(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<Device>

    /// - Returns: for each key, in order, true if the device existed.
    func delete(_ keys: [DeviceKey]) async throws(StoreError) -> [Bool]

    /// Deletes devices, or their tokens for calls, that APNs reports as gone, unless the app registered since.
    ///
    /// - Returns: one result for each, in order.
    func unregister(_ unregistrations: [Unregistration]) async throws(StoreError) -> [UnregisterResult]

    /// Records that APNs accepted a notification for these tokens. A device keeps the mark until its token, topic or
    /// environment changes.
    func markReached(_ tokens: [ReachedToken]) async throws(StoreError)

    /// Stops pushes to this token in this environment, for each of the tenant's devices that has it. A device with it
    /// as its token for calls stays otherwise unchanged.
    ///
    /// - Returns: the number of devices.
    func quarantine(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> Int
}

extension DeviceRegistry {
    /// The async form.
    package func devices(_ keys: [DeviceKey]) async throws(StoreError) -> [DeviceLookup] {
        try await awaited { devices(keys, completion: $0) }
    }
}
