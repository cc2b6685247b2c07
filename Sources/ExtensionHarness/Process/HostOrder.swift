internal import Platform

enum HostOrder: Codable {
    case deliver(HostDelivery)
    case expire(Int)
    case change(HostChange)
    case expireActivities
}

struct HostDelivery: Codable {
    let number: Int
    let identifier: String
    let userInfo: [String: UserInfoValue]
    let title: String
    let subtitle: String
    let body: String
    /// True to use the previous delivery's object.
    let reusesObject: Bool
    let conditions: HostConditions
    let screen: HostScreenState
}

struct HostConditions: Codable {
    enum Lock: String, Codable { case beforeFirstUnlock, locked, unlocked }
    enum Storage: String, Codable { case writable, full, readOnly }

    let lock: Lock
    let storage: Storage
    let isCompleteByDefault: Bool
    let appGroupsPath: String?
    let hosts: [SimulatedDevice.HostMapping]
    let millisecondsSince1970: UInt64
    let memoryByteCountMax: Int
    /// Seconds on the device for each real one.
    let timeScale: Double
}

enum HostChange: Codable {
    case lock(HostConditions.Lock)
    case storage(HostConditions.Storage)
    case dateJump(milliseconds: Int64)
    case memoryPressure(Device.MemoryPressure)
}

/// Report of the process. Untrusted: the extension in it can write to the same descriptor.
enum HostReport: Codable, Equatable {
    case answered(Int, ShownContent)
    case returned(Int)
    case screen(HostScreenChange)
    case activityBegan
    case activityEnded
}
