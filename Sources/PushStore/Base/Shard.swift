/// Hash partition of devices and their data, which one relay owns at a time.
package struct Shard: Hashable, Sendable {
    /// Constant for ever: entries' ids hold it.
    package static let count = 64
    package static let all = (0..<count).map { Shard(unchecked: $0) }

    /// 0 ..< `count`.
    package let index: Int

    package init?(index: Int) {
        guard (0..<Self.count).contains(index) else { return nil }
        self.index = index
    }

    package init(tenant: TenantID, device: DeviceID) {
        self.init(hash: Self.hash(tenant: tenant, device: device))
    }

    /// - Parameter hash: `hash(tenant:device:)`.
    package init(hash: UInt64) { index = Int(hash % UInt64(Self.count)) }

    package static func hash(tenant: TenantID, device: DeviceID) -> UInt64 {
        var hash = Checksum()
        hash.add(tenant.bytes)
        hash.add(device.bytes)
        return hash.value
    }

    private init(unchecked index: Int) { self.index = index }
}
