import PushStore

extension TenantID {
    /// - Parameter name: 1 to 64 bytes.
    static func named(_ name: String) -> TenantID {
        guard let id = try? TenantID(name) else { preconditionFailure("no tenant's id: \(name)") }
        return id
    }
}

extension DeviceID {
    /// - Parameter name: 1 to 128 bytes.
    static func named(_ name: String) -> DeviceID {
        guard let id = try? DeviceID(name) else { preconditionFailure("no device's id: \(name)") }
        return id
    }
}
