#if canImport(Darwin)
import Foundation

/// Time for work that goes on after the content handler was called. iOS suspends an extension soon after the handler
/// otherwise.
///
/// - Source: Apple, `ProcessInfo.performExpiringActivity(withReason:using:)`.
final class ExpiringActivity: Sendable {
    private let isOver = DispatchSemaphore(value: 0)

    /// - Parameter expired: called when the system takes the time away, which may be at once.
    init(_ expired: @escaping @Sendable () -> Void) {
        ProcessInfo.processInfo.performExpiringActivity(withReason: "delivery reports") { [isOver] isExpired in
            // The system holds the process as long as this block has not returned, and calls it a second time to say that
            // the time is over.
            if isExpired { expired() } else { isOver.wait() }
        }
    }

    /// The work is done. Once.
    func end() { isOver.signal() }
}
#endif
