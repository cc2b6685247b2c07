package import Envelope

/// Whether the device has been unlocked since it started, and is now. iOS enforces this itself; the file store stands in
/// for it where there is no data protection.
package enum DeviceLock: Sendable, CaseIterable {
    case beforeFirstUnlock, locked, unlocked

    /// Whether records of this class can be read and written now.
    package func permits(_ protection: ProtectionClass) -> Bool {
        switch (self, protection) {
        case (.unlocked, _), (.locked, .afterFirstUnlock): true
        case (.locked, .unlocked), (.beforeFirstUnlock, _): false
        }
    }
}
