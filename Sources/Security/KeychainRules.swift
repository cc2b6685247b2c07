internal import Foundation
internal import Platform

/// Process's access to the keychain of its device.
struct KeychainRules {
    /// Environment variable with this process's access groups, separated by commas; items without a group go into the
    /// first. Without it the process is in every group.
    static let groupsVariable = "SEALEDPUSH_KEYCHAIN_GROUPS"
    private static let defaultGroup = "default"

    let lock: SimulatedDevice.Lock
    /// Nil for all.
    let groups: [String]?

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
