package import Envelope
private import Platform

/// Device's lock state. The file store enforces it where iOS does not.
package enum DeviceLock: Sendable, CaseIterable {
    case beforeFirstUnlock, locked, unlocked

    /// `.unlocked` where there is no simulated device.
    package static var current: DeviceLock {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        .unlocked
        #else
        switch SimulatedDevice.current?.conditions.lock {
        case .beforeFirstUnlock: .beforeFirstUnlock
        case .locked: .locked
        case .unlocked, nil: .unlocked
        }
        #endif
    }

    package func permits(_ protection: ProtectionClass) -> Bool {
        switch (self, protection) {
        case (.unlocked, _), (.locked, .afterFirstUnlock): true
        case (.locked, .unlocked), (.beforeFirstUnlock, _): false
        }
    }
}
