package import Envelope
private import Platform

/// Whether the device has been unlocked since it started, and is now. iOS enforces this itself; the file store stands in
/// for it where there is no data protection.
package enum DeviceLock: Sendable, CaseIterable {
    case beforeFirstUnlock, locked, unlocked

    /// Of the simulated device that this runs on. Where there is none, the system enforces it or nobody does.
    package static var current: DeviceLock {
        #if canImport(Darwin)
        .unlocked
        #else
        switch SimulatedDevice.current?.conditions.lock {
        case .beforeFirstUnlock: .beforeFirstUnlock
        case .locked: .locked
        case .unlocked, nil: .unlocked
        }
        #endif
    }

    /// Whether records of this class can be read and written now.
    package func permits(_ protection: ProtectionClass) -> Bool {
        switch (self, protection) {
        case (.unlocked, _), (.locked, .afterFirstUnlock): true
        case (.locked, .unlocked), (.beforeFirstUnlock, _): false
        }
    }
}
