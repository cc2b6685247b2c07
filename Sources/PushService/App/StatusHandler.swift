import Envelope
import HTTP
import Platform
import PushStore
import ServiceParts

struct StatusHandler: Sendable {
    private static let isAlive = HTTPAnswer.json(200) { $0.member("status", "ok") }

    let context: ServiceContext
    /// On the loop.
    let vitals: @Sendable () -> StoreVitals

    /// Liveness: 503 if only a restart helps. On the loop.
    func health() -> HTTPAnswer {
        let vitals = vitals()
        if vitals.needsOpening { return HTTPAnswer(Self.restart("The store must be opened again.")) }
        guard vitals.isAnswering || vitals.health == .moved else {
            return HTTPAnswer(Self.restart("The store or its disk does not answer."))
        }
        return Self.isAlive
    }

    private static func restart(_ what: String) -> Problem {
        Problem(.storageFull, what + " Restart the service; if that does not help, check the disk.")
    }

    /// Readiness: 503 with the reason if no notifications are accepted now. On the loop.
    func readiness(isDraining: Bool, areFailing: Bool) throws(Problem) -> HTTPAnswer {
        if isDraining {
            var problem = Problem(.draining, "The service is stopping; ask another instance.")
            problem.retryAfterSeconds = Int64(context.settings.limits.drainSeconds)
            throw problem
        }
        let vitals = vitals()
        switch vitals.health {
        case .writable: break
        case .full: throw Problem(StoreError.full)
        case .unwritable: throw Problem(StoreError.unwritable)
        case .broken: throw Problem(StoreError.broken)
        case .moved: throw Problem(StoreError.moved)
        case .restored: throw Problem(StoreError.restored)
        }
        switch vitals.failure {
        case .noStandby?: throw Problem(StoreError.noStandby)
        case .otherSchema?: throw Problem(StoreError.otherSchema)
        case .wrongClock(let seconds)?: throw Problem(StoreError.wrongClock(secondsAhead: seconds))
        default: break
        }
        guard vitals.isAnswering, vitals.failure == nil, !areFailing else {
            let what = "Notifications are not stored; see 'store-failed' in the service's log."
            var problem = Problem(.storageFull, what)
            problem.retryAfterSeconds = 10
            throw problem
        }
        return .json(200) { writer in
            writer.member("status", "ready")
            if context.settings.allowsClearText { writer.member("clear-text", true) }
        }
    }

    func metrics() -> HTTPAnswer {
        var text: [UInt8] = []
        // A copy: every request takes the lock.
        let metrics = context.metrics.withLock { $0 }
        metrics.append(to: &text)
        MetricsText.single(
            &text,
            "sealedpush_shards_owned",
            "gauge",
            "Shards, of 64, whose notifications this relay sends.",
            UInt64(context.shards.all.shards.count)
        )
        context.spans.withLock { $0.append(to: &text) }
        ProcessMetrics.append(to: &text)
        return .text(MetricsText.contentType, text)
    }
}
