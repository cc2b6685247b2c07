import Envelope
import PushStore
import Synchronization
import Transport

/// `/v1/health`, `/v1/readiness`, `/v1/metrics`: for whoever runs the service.
struct StatusHandler: Sendable {
    /// The process answers; nothing else is meant.
    static let health = HTTPAnswer.json(200) { $0.member("status", "ok") }

    let context: ServiceContext
    let storeHealth: @Sendable () -> StoreHealth

    /// Whether notifications are taken now.
    ///
    /// - Parameter isDraining: whether the service is stopping.
    /// - Returns: 200.
    /// - Throws: a 503 that says why not.
    func readiness(isDraining: Bool) throws(Problem) -> HTTPAnswer {
        if isDraining {
            var problem = Problem(.draining, "The service is stopping; ask another instance.")
            problem.retryAfterSeconds = Int64(context.settings.limits.drainSeconds)
            throw problem
        }
        switch storeHealth() {
        case .writable: return .json(200) { $0.member("status", "ready") }
        case .full: throw Problem(StoreError.full)
        case .unwritable: throw Problem(StoreError.unwritable)
        case .broken: throw Problem(StoreError.broken)
        case .moved: throw Problem(StoreError.moved)
        case .restored: throw Problem(StoreError.restored)
        }
    }

    func metrics() -> HTTPAnswer {
        var text: [UInt8] = []
        // A copy: the text is made outside of the lock, which every request takes.
        let metrics = context.metrics.withLock { $0 }
        metrics.append(to: &text, unixSeconds: Int64(clamping: context.clock.wall().milliseconds / 1_000))
        return .text(ServiceMetrics.contentType, text)
    }
}
