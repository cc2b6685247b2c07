internal import Platform

/// A device's orders to the process that hosts an extension.
enum HostOrder: Codable {
    /// Call `didReceive`.
    case deliver(HostDelivery)
    /// Call `serviceExtensionTimeWillExpire` on this delivery's object.
    case expire(Int)
    /// The device's state changes.
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
    /// True to use the previous delivery's object.
    let reusesObject: Bool
    let conditions: HostConditions
    let screen: HostScreenState
}

/// The device's state as seen by code in the process.
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

/// A change of the device while the extension runs.
enum HostChange: Codable {
    case lock(HostConditions.Lock)
    case storage(HostConditions.Storage)
    case dateJump(milliseconds: Int64)
}

/// A report of the process. Untrusted: the extension in it can write to the same descriptor.
enum HostReport: Codable, Equatable {
    /// The extension called its content handler.
    case answered(Int, ShownContent)
    /// A call into the extension returned.
    case returned(Int)
    /// The extension changed the screen.
    case screen(HostScreenChange)
    /// The extension began an expiring activity, to run on after its answers.
    case activityBegan
    /// An activity ended.
    case activityEnded
}
