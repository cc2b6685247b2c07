package import APNS
package import Envelope

/// Which devices there are, and where their pushes go.
///
/// Batches first; a device's key names its tenant and gives its shard. Device tokens are encrypted where they rest.
package protocol DeviceRegistry: Sendable {
    /// Takes what apps say at every launch: one that says nothing new costs a read.
    ///
    /// - Returns: one result for each, in their order.
    /// - Throws: `.byteCount`, `.noPlace`, and then nothing of the batch is stored.
    func put(_ registrations: [Device.Registration], now: Timestamp) async throws(StoreError) -> [PutResult]

    /// Looks devices up, for an event loop without a task of its own: one result for each key, in their order.
    func devices(_ keys: [DeviceKey], completion: @escaping StoreCompletion<[DeviceLookup]>)

    /// What senders seal to, which no notification needs.
    ///
    /// - Returns: for each key, in their order, the bundle as it was registered; nil for a device that is not there, or whose
    ///   bundle is damaged: it is written anew at the app's next launch.
    func bundles(of keys: [DeviceKey]) async throws(StoreError) -> [[UInt8]?]

    /// - Returns: the keys of a tenant's devices with this token, of either kind, in this environment; in the order of their
    ///   ids.
    func devices(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> [DeviceKey]

    /// - Parameters:
    ///   - tenant: Whose.
    ///   - cursor: Where the page before ended; nil for the first page.
    ///   - limit: 1 ... 1,000; others are brought there.
    /// - Returns: in an order of the engine's own, in which a device keeps its place until it is deleted: whoever goes through
    ///   all pages sees each device once that is there all the time. Damaged ones are left out.
    /// - Throws: `.invalidCursor`.
    func devices(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<Device>

    /// - Returns: for each, in their order, whether it was there.
    func delete(_ keys: [DeviceKey]) async throws(StoreError) -> [Bool]

    /// Deletes what APNs says is gone, unless the app was heard of since: the device, or its token for calls.
    ///
    /// - Returns: one result for each, in their order.
    func unregister(_ unregistrations: [Unregistration]) async throws(StoreError) -> [UnregisterResult]

    /// APNs has taken a notification for each of these tokens: it knows them. A device says so until its token, topic or
    /// environment changes.
    func markReached(_ tokens: [ReachedToken]) async throws(StoreError)

    /// Nothing is to be sent to this token in this environment, whichever of the tenant's devices has it. A device whose token
    /// for calls it is stays as it is otherwise.
    ///
    /// - Returns: how many devices that were.
    func quarantine(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> Int
}

extension DeviceRegistry {
    /// The same, for a task that waits.
    package func devices(_ keys: [DeviceKey]) async throws(StoreError) -> [DeviceLookup] {
        try await awaited { devices(keys, completion: $0) }
    }
}
