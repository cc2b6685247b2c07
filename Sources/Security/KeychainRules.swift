internal import Foundation
internal import Platform

/// What a device lets a process do with its keychain.
struct KeychainRules {
    /// The name of the environment variable that says in which access groups this process is, separated by commas; the
    /// first is where an item goes that names none. Without it the process is in every group.
    static let groupsVariable = "SEALEDPUSH_KEYCHAIN_GROUPS"
    private static let defaultGroup = "default"

    let lock: SimulatedDevice.Lock
    /// nil for all.
    let groups: [String]?

    /// Of the code that asks.
    static var current: KeychainRules {
        let groups = ProcessInfo.processInfo.environment[groupsVariable]
        return KeychainRules(
            lock: SimulatedDevice.current?.conditions.lock ?? .unlocked,
            groups: groups?.split(separator: ",").map(String.init)
        )
    }

    func isEntitled(to group: String) -> Bool { groups?.contains(group) ?? true }

    func groupToAdd(_ group: String?) throws(KeychainError) -> String {
        guard let group else { return groups?.first ?? Self.defaultGroup }
        guard isEntitled(to: group) else { throw KeychainError(status: errSecMissingEntitlement) }
        return group
    }

    /// Whether the secret of an item of this class can be read and written now.
    func permits(_ accessible: String) -> Bool {
        let afterFirstUnlock = [
            kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        return switch lock {
        case .unlocked: true
        case .locked: afterFirstUnlock.contains(accessible)
        case .beforeFirstUnlock: false
        }
    }
}
