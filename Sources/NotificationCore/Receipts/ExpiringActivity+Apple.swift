#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
import Foundation
#if SEALEDPUSH_APPLE_STANDINS
import AppleFoundation
#endif

/// Process time after the content handler, when iOS would soon suspend the extension.
///
/// - Source: Apple, `ProcessInfo.performExpiringActivity(withReason:using:)`.
final class ExpiringActivity: Sendable {
    private let isOver = DispatchSemaphore(value: 0)

    /// - Parameter expired: called when time ends, perhaps at once.
    init(_ expired: @escaping @Sendable () -> Void) {
        ProcessInfo.processInfo.performExpiringActivity(withReason: "delivery reports") { [isOver] isExpired in
            // The process runs until this block returns; a second call says that time is over.
            if isExpired { expired() } else { isOver.wait() }
        }
    }

    /// Ends the activity. Call it once.
    func end() { isOver.signal() }
}
#endif
