import Envelope
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

extension BundleID {
    /// - Parameter text: letters, digits, hyphens and periods.
    /// - Returns: the bundle id of that text.
    static func named(_ text: String) -> BundleID {
        guard let id = try? BundleID(text) else { preconditionFailure("no bundle id: \(text)") }
        return id
    }
}
