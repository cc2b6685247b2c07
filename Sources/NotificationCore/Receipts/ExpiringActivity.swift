#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import Platform

/// Process time after the content handler, when iOS or a simulated device would soon suspend the extension.
///
/// - Source: Apple, `ProcessInfo.performExpiringActivity(withReason:using:)`.
final class ExpiringActivity: Sendable {
    private let finish: @Sendable () -> Void

    /// - Parameter expired: called when time ends, perhaps at once.
    init(_ expired: @escaping @Sendable () -> Void) {
        guard let device = SimulatedDevice.current else {
            finish = {}
            return
        }
        finish = device.beginActivity(expired)
    }

    /// Ends the activity. Call it once.
    func end() { finish() }
}
#endif
