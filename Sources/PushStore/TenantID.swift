/// A tenant's id. Every call names its tenant, and no call reaches another's.
package struct TenantID: Hashable, Sendable {
    package static let byteCounts = 1...64

    /// Opaque: any bytes.
    package let bytes: [UInt8]

    /// - Throws: `.byteCount`.
    package init(bytes: [UInt8]) throws(StoreError) {
        guard Self.byteCounts.contains(bytes.count) else { throw .byteCount(field: .tenant, of: Self.byteCounts) }
        self.bytes = bytes
    }

    /// - Throws: `.byteCount`.
    package init(_ text: String) throws(StoreError) { try self.init(bytes: Array(text.utf8)) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A tenant's id for a device.
package struct DeviceID: Hashable, Sendable {
    package static let byteCounts = 1...128

    /// Opaque: any bytes, a NUL and a percent sign among them.
    package let bytes: [UInt8]

    /// - Throws: `.byteCount`.
    package init(bytes: [UInt8]) throws(StoreError) {
        guard Self.byteCounts.contains(bytes.count) else { throw .byteCount(field: .device, of: Self.byteCounts) }
        self.bytes = bytes
    }

    /// - Throws: `.byteCount`.
    package init(_ text: String) throws(StoreError) { try self.init(bytes: Array(text.utf8)) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A device of a tenant: what both protocols look things up by.
package struct DeviceKey: Hashable, Sendable {
    package let tenant: TenantID
    package let device: DeviceID

    package init(tenant: TenantID, device: DeviceID) {
        self.tenant = tenant
        self.device = device
    }

    /// Where the device and its notifications are.
    package var shard: Shard { Shard(tenant: tenant, device: device) }
}
