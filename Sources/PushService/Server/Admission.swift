import Platform
import PushStore
import Transport

/// What is refused because too much is there already: better now, and cheaply, than late.
enum Admission {
    private static let openRetrySeconds: Int64 = 1
    /// A queue's place is free when a push has its answer; one that is full has some to wait for.
    private static let backlogRetrySeconds: Int64 = 5

    /// Made once: of all answers it is given most often when there is least time.
    private static let tooManyOpen = HTTPAnswer(
        problem("Nothing was stored: too many requests wait for their answer", openRetrySeconds)
    )
    private static let submissionPaths = Route.all.filter { APIApplication.isSubmission($0.operation) }.map {
        Array($0.pattern.utf8)
    }

    /// The last line, before even the key is looked at: so many submissions of all tenants wait that none has room for more.
    ///
    /// - Parameters:
    ///   - head: of a request.
    ///   - open: submissions that wait for their answer.
    ///   - context: knows the limit, and counts.
    /// - Returns: 429; nil for what is not a submission, or not too much.
    static func refusal(of head: HTTPHead, open: SharedPlaces<TenantID>, _ context: ServiceContext) -> HTTPAnswer? {
        guard open.isFull(aloneMax: context.settings.limits.openRequestCountMax),
            submissionPaths.contains(where: { head.path.elementsEqual($0) }), head.method.elementsEqual("POST".utf8)
        else { return nil }
        context.metrics.withLock { $0.didRefuse(.rate) }
        return tooManyOpen
    }

    /// A submission of a tenant that has its share open already; before its body, and again behind it.
    ///
    /// - Parameters:
    ///   - tenant: the key's.
    ///   - open: submissions that wait for their answer.
    ///   - limits: of the settings.
    /// - Throws: `.tooManyRequests`.
    static func checkOpen(_ tenant: TenantID, in open: SharedPlaces<TenantID>, _ limits: ServiceLimits) throws(Problem)
    {
        guard open.hasRoom(for: tenant, aloneMax: limits.openRequestCountMax) else {
            throw problem(
                "Nothing was stored: \(open[tenant]) requests of this tenant wait for their answer",
                openRetrySeconds
            )
        }
    }

    /// A submission of a tenant whose part of a lane's queue is full. What can be stored and not sent is no use to anybody. A
    /// tenant that has nothing there is always taken.
    ///
    /// - Parameters:
    ///   - count: notifications that would be queued.
    ///   - lane: theirs: a broadcast refuses no call.
    ///   - tenant: whose.
    ///   - coming: what else is on its way into the lane's queue.
    ///   - context: knows the queues and the limit.
    /// - Throws: `.tooManyRequests`.
    static func checkQueue(
        _ count: Int,
        in lane: Lane,
        of tenant: TenantID,
        beside coming: SharedPlaces<TenantID> = SharedPlaces(),
        _ context: ServiceContext
    ) throws(Problem) {
        let queued = context.store.queuedCounts(lane, of: tenant)
        let own = queued.own + coming[tenant]
        // Queues grow without being asked too: by what comes back from APNs' side, or was parked.
        guard own > 0 else { return }
        let hasRoom = SharedPlaces<TenantID>.hasRoom(
            for: count,
            own: own,
            total: queued.all + coming.total,
            aloneMax: context.settings.limits.backlogCountMax
        )
        guard !hasRoom else { return }
        throw problem(
            "Nothing was stored: \(queued.own) notifications of this tenant wait in the lane '\(lane.word)'",
            backlogRetrySeconds
        )
    }

    private static func problem(_ what: String, _ seconds: Int64) -> Problem {
        var problem = Problem(.tooManyRequests, what + ". Wait as long as 'Retry-After' says.")
        problem.retryAfterSeconds = seconds
        return problem
    }
}
