#if !canImport(Darwin)
import Platform

/// Time for work that goes on after the content handler was called. iOS suspends an extension soon after the handler
/// otherwise; a simulated device does the same.
///
/// - Source: Apple, `ProcessInfo.performExpiringActivity(withReason:using:)`.
final class ExpiringActivity: Sendable {
    private let finish: @Sendable () -> Void

    /// - Parameter expired: called when the system takes the time away, which may be at once.
    init(_ expired: @escaping @Sendable () -> Void) {
        guard let device = SimulatedDevice.current else {
            finish = {}
            return
        }
        finish = device.beginActivity(expired)
    }

    /// The work is done. Once.
    func end() { finish() }
}
#endif
