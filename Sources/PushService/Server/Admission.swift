import Synchronization

/// What is refused because too much is there already: better now, and cheaply, than late.
enum Admission {
    private static let openRetrySeconds: Int64 = 1
    /// As often the depth of the queues is looked at.
    private static let backlogRetrySeconds: Int64 = 5

    /// Before a body is read. Who would be the next to wait would wait for all the others.
    ///
    /// - Parameters:
    ///   - openCount: requests that wait for their answer.
    ///   - limits: of the configuration.
    /// - Throws: `.tooManyRequests`.
    static func check(openCount: Int, _ limits: ServiceLimits) throws(Problem) {
        guard openCount >= limits.openRequestCountMax else { return }
        throw problem("Nothing was stored: too many requests wait for their answer", openRetrySeconds)
    }

    /// What can be stored and not sent is no use to anybody. By lanes: a broadcast refuses no call.
    ///
    /// - Parameters:
    ///   - lane: of a submission.
    ///   - context: knows the queues' depths of a few seconds ago.
    /// - Throws: `.tooManyRequests`.
    static func check(_ lane: DispatchLane, _ context: ServiceContext) throws(Problem) {
        let depth = context.metrics.withLock { $0.queueDepth[lane] }
        guard depth >= context.settings.limits.backlogCountMax else { return }
        throw problem(
            "Nothing was stored: \(depth) notifications wait in the lane '\(lane.rawValue)'",
            backlogRetrySeconds
        )
    }

    private static func problem(_ what: String, _ seconds: Int64) -> Problem {
        var problem = Problem(.tooManyRequests, what + ". Wait as long as 'Retry-After' says.")
        problem.retryAfterSeconds = seconds
        return problem
    }
}
