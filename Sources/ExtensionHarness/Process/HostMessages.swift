internal import Platform

/// What a device asks of the process that hosts an extension.
enum HostOrder: Codable {
    /// Call `didReceive`.
    case deliver(HostDelivery)
    /// Call `serviceExtensionTimeWillExpire` on the object that has this delivery.
    case expire(Int)
    /// The device is not as it was.
    case change(HostChange)
    /// The time of all expiring activities is over.
    case expireActivities
}

/// A push, and the device that it comes to.
struct HostDelivery: Codable {
    let number: Int
    let identifier: String
    let userInfo: [String: UserInfoValue]
    let title: String
    let subtitle: String
    let body: String
    /// Whether the object that had the delivery before this one takes it.
    let reusesObject: Bool
    let conditions: HostConditions
    let screen: HostScreenState
}

/// What the code in the process finds on its device.
struct HostConditions: Codable {
    enum Lock: String, Codable { case beforeFirstUnlock, locked, unlocked }
    enum Storage: String, Codable { case writable, full, readOnly }

    let lock: Lock
    let storage: Storage
    let isCompleteByDefault: Bool
    let appGroupsPath: String?
    let hosts: [SimulatedDevice.HostMapping]
    let millisecondsSince1970: UInt64
    /// Seconds on the device for each real one.
    let timeScale: Double
}

/// What can change on the device while the extension runs.
enum HostChange: Codable {
    case lock(HostConditions.Lock)
    case storage(HostConditions.Storage)
    case dateJump(milliseconds: Int64)
}

/// What the process says. Untrusted: the extension in it can write to the same descriptor.
enum HostReport: Codable, Equatable {
    /// The extension called its content handler.
    case answered(Int, ShownContent)
    /// One of the calls into the extension returned.
    case returned(Int)
    /// The extension changed what the screen lists.
    case screen(HostScreenChange)
    /// The extension began an expiring activity: it asks to go on after its answers.
    case activityBegan
    /// One of its activities ended.
    case activityEnded
}
