internal import Envelope

/// Tenant's id; no call reaches another's.
package struct TenantID: Hashable, Sendable {
    package static let byteCounts = 1...64

    /// Any bytes.
    package let bytes: [UInt8]

    /// - Throws: `.byteCount`.
    package init(bytes: [UInt8]) throws(StoreError) {
        guard Self.byteCounts.contains(bytes.count) else { throw .byteCount(field: .tenant, of: Self.byteCounts) }
        self.bytes = bytes
    }

    /// - Throws: `.byteCount`.
    package init(_ text: String) throws(StoreError) { try self.init(bytes: Array(text.utf8)) }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Tenant's id for a device.
package struct DeviceID: Hashable, Sendable {
    package static let byteCounts = 1...128

    /// Any bytes, even NUL and percent.
    package let bytes: [UInt8]

    /// - Throws: `.byteCount`.
    package init(bytes: [UInt8]) throws(StoreError) {
        guard Self.byteCounts.contains(bytes.count) else { throw .byteCount(field: .device, of: Self.byteCounts) }
        self.bytes = bytes
    }

    /// - Throws: `.byteCount`.
    package init(_ text: String) throws(StoreError) { try self.init(bytes: Array(text.utf8)) }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Lookup key of a tenant's device.
package struct DeviceKey: Hashable, Sendable {
    package let tenant: TenantID
    package let device: DeviceID

    package init(tenant: TenantID, device: DeviceID) {
        self.tenant = tenant
        self.device = device
    }

    package var shard: Shard { Shard(tenant: tenant, device: device) }
}
