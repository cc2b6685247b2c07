import Synchronization
import Transport

/// What is refused because too much is there already: better now, and cheaply, than late.
enum Admission {
    private static let openRetrySeconds: Int64 = 1
    /// As often the depth of the queues is looked at.
    private static let backlogRetrySeconds: Int64 = 5

    /// Made once: of all answers it is given most often when there is least time.
    private static let tooManyOpen = HTTPAnswer(
        problem("Nothing was stored: too many requests wait for their answer", openRetrySeconds)
    )
    private static let submissionPaths = Route.all.filter { APIApplication.isSubmission($0.operation) }.map {
        Array($0.pattern.utf8)
    }

    /// Before anything else is looked at, the key among it: who would be the next to wait would wait for all the others.
    /// Only who has a key makes requests wait.
    ///
    /// - Parameters:
    ///   - head: of a request.
    ///   - openCount: requests that wait for their answer.
    ///   - context: knows the limit, and counts.
    /// - Returns: 429; nil for what is not a submission, or not too much.
    static func refusal(of head: HTTPHead, openCount: Int, _ context: ServiceContext) -> HTTPAnswer? {
        guard openCount >= context.settings.limits.openRequestCountMax,
            submissionPaths.contains(where: { head.path.elementsEqual($0) }), head.method.elementsEqual("POST".utf8)
        else { return nil }
        context.metrics.withLock { $0.didRefuse(.rate) }
        return tooManyOpen
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
