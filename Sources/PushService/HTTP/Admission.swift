import HTTP
import Platform
import PushStore

/// Load shedding: refuses submissions early and cheaply.
enum Admission {
    private static let openRetrySeconds: Int64 = 1
    /// Each place in a queue waits for a push's answer.
    private static let backlogRetrySeconds: Int64 = 5

    /// Made once: sent most often when time is shortest.
    private static let tooManyOpen = HTTPAnswer(
        problem("Nothing was stored: too many requests are waiting for an answer", openRetrySeconds)
    )
    private static let submissionPaths = Route.all.filter { $0.operation.isSubmission }.map {
        Array($0.pattern.utf8)
    }

    /// Last resort, before even the key.
    ///
    /// - Returns: 429; nil if there is room, or for another request.
    static func refusal(of head: HTTPHead, open: SharedSlots<TenantID?>, _ context: ServiceContext) -> HTTPAnswer? {
        guard open.isFull(aloneMax: context.settings.limits.openRequestCountMax),
            submissionPaths.contains(where: { head.path.elementsEqual($0) }), head.method.elementsEqual("POST".utf8)
        else { return nil }
        context.metrics.withLock { $0.didRefuse(.rate) }
        return tooManyOpen
    }

    /// Checks a tenant's share of open submissions.
    ///
    /// - Parameter tenant: nil for all servers that push to endpoints.
    static func checkOpen(
        _ tenant: TenantID?,
        in open: SharedSlots<TenantID?>,
        _ limits: ServiceLimits
    ) throws(Problem) {
        guard open.hasRoom(for: tenant, aloneMax: limits.openRequestCountMax) else {
            let what = tenant == nil ? "pushes of all servers" : "requests of this tenant"
            throw problem("Nothing was stored: \(open[tenant]) \(what) are waiting for an answer", openRetrySeconds)
        }
    }

    /// Checks a tenant's share of a queue: storing what cannot be sent helps nobody. Without queued entries a tenant is
    /// always admitted.
    ///
    /// - Parameter lane: checked alone, so a broadcast refuses no call.
    static func checkQueue(
        _ count: Int,
        in lane: Lane,
        of tenant: TenantID,
        beside coming: SharedSlots<TenantID> = SharedSlots(),
        _ context: ServiceContext
    ) throws(Problem) {
        let queued = context.store.queuedCounts(lane, of: tenant)
        let own = queued.own + coming[tenant]
        // Queues also grow by retries and parked entries.
        guard own > 0 else { return }
        let hasRoom = SharedSlots<TenantID>.hasRoom(
            for: count,
            own: own,
            total: queued.all + coming.total,
            aloneMax: context.settings.limits.backlogCountMax
        )
        guard !hasRoom else { return }
        throw problem(
            "Nothing was stored: \(queued.own) notifications of this tenant are waiting in the lane '\(lane.word)'",
            backlogRetrySeconds
        )
    }

    private static func problem(_ what: String, _ seconds: Int64) -> Problem {
        var problem = Problem(.tooManyRequests, what + ". Wait for the time in 'Retry-After'.")
        problem.retryAfterSeconds = seconds
        return problem
    }
}
