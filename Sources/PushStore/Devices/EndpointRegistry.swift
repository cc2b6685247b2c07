package import Envelope

/// Endpoints that devices give to servers, and devices that enrol without their tenant's back end. All of them end with
/// their device.
package protocol EndpointRegistry: Sendable {
    /// Replaces the device's key, with which it makes and revokes its own endpoints.
    func setEndpointKey(_ hash: [UInt8], of device: DeviceKey) async throws(StoreError) -> EndpointKeyResult

    func device(endpointKey hash: [UInt8]) async throws(StoreError) -> DeviceKey?

    /// Finds endpoints, in order: nil for an unknown or revoked one, and for one that is gone with its device.
    func endpoints(_ hashes: [[UInt8]], completion: @escaping StoreCompletion<[EndpointTarget?]>)

    /// - Returns: a device's endpoints, oldest first.
    func endpoints(of device: DeviceKey) async throws(StoreError) -> [PushEndpoint]

    func add(_ endpoint: PushEndpoint) async throws(StoreError) -> EndpointAddition

    /// - Parameter hash: an endpoint's.
    /// - Returns: false if the device has none of this hash.
    func revoke(_ hash: [UInt8], of device: DeviceKey) async throws(StoreError) -> Bool

    /// Keeps a record, and drops expired ones.
    func keep(_ record: KeptRecord, now: Timestamp) async throws(StoreError)

    /// Drops a record whose push was refused.
    func dropRecord(_ name: [UInt8]) async throws(StoreError)

    /// - Returns: nil if there is none, it has expired or its endpoint is gone.
    func record(_ name: [UInt8], now: Timestamp) async throws(StoreError) -> [UInt8]?

    /// Registers the device and its endpoint key together, or nothing.
    func enrol(_ enrolment: Enrolment, now: Timestamp) async throws(StoreError) -> EnrolmentResult

    /// - Returns: the device's key of App Attest; nil without one.
    func attestedKey(of device: DeviceKey) async throws(StoreError) -> AttestedKey?

    func add(_ deltas: GatewayDeltas) async throws(StoreError)

    /// - Returns: counts and enrolled devices of an app.
    func gatewayCounts(_ app: GatewayApp) async throws(StoreError) -> (counts: GatewayCounts, deviceCount: Int)

    /// - Returns: a device's endpoints, oldest first.
    func countedEndpoints(
        of device: DeviceKey
    ) async throws(StoreError) -> [(endpoint: PushEndpoint, counts: GatewayCounts)]

    /// - Returns: all tenants'.
    func endpointBlocks() async throws(StoreError) -> Set<EndpointBlock>

    /// - Returns: false if the tenant has `EndpointBlock.countMax`.
    func add(_ block: EndpointBlock, now: Timestamp) async throws(StoreError) -> Bool

    /// - Returns: false if it is not there.
    func remove(_ block: EndpointBlock) async throws(StoreError) -> Bool
}
