package import Envelope

extension SQLiteStore: EndpointRegistry {
    package func setEndpointKey(
        _ hash: [UInt8],
        of device: DeviceKey
    ) async throws(StoreError) -> EndpointKeyResult {
        try await write(canBeRefused: true) { writer throws(StoreError) in
            try writer.setEndpointKey(hash, of: device)
        }
    }

    package func device(endpointKey hash: [UInt8]) async throws(StoreError) -> DeviceKey? {
        try await read { reader throws(StoreError) in try reader.device(endpointKey: hash) }
    }

    package func endpoints(_ hashes: [[UInt8]], completion: @escaping StoreCompletion<[EndpointTarget?]>) {
        read({ reader throws(StoreError) in try reader.endpoints(hashes) }, completion: completion)
    }

    package func endpoints(of device: DeviceKey) async throws(StoreError) -> [PushEndpoint] {
        try await read { reader throws(StoreError) in try reader.endpoints(of: device) }
    }

    package func add(_ endpoint: PushEndpoint) async throws(StoreError) -> EndpointAddition {
        try await write(canBeRefused: true) { writer throws(StoreError) in try writer.add(endpoint) }
    }

    package func keep(_ record: KeptRecord, now: Timestamp) async throws(StoreError) {
        try await write(canBeRefused: true) { writer throws(StoreError) in try writer.keep(record, now: now) }
    }

    package func dropRecord(_ name: [UInt8]) async throws(StoreError) {
        try await write { writer throws(StoreError) in try writer.dropRecord(name) }
    }

    package func record(_ name: [UInt8], now: Timestamp) async throws(StoreError) -> [UInt8]? {
        try await read { reader throws(StoreError) in try reader.record(name, now: now) }
    }

    package func revoke(_ hash: [UInt8], of device: DeviceKey) async throws(StoreError) -> Bool {
        try await write { writer throws(StoreError) in try writer.revoke(hash, of: device) }
    }
}

/// Secret whose hash a row of `endpoint` has.
enum EndpointKind: Int64 {
    case key = 0
    case endpoint = 1
}
