/// Schedule of jobs. A value: no clock, no store.
///
/// A job runs in bounded steps. An unfinished one is due again at once, after the others.
package struct UpkeepPlan: Equatable, Sendable {
    package enum Job: CaseIterable, Sendable {
        case expire
        case measure
        case saveQuota
        case saveEndpointCounts
        case loadEndpointBlocks
        /// Wakes webhooks and fallbacks: a read of the queue may end notifications.
        case ring
        /// Makes earlier copies of the database recognizable as old.
        case renewStamp
        /// Removes deleted data from SQLite's log.
        case emptyLog
        case purge
        /// Returns memory to the system after a flood.
        case trim

        package var intervalSeconds: Int64 {
            switch self {
            case .expire: 1
            case .measure, .saveQuota, .saveEndpointCounts, .loadEndpointBlocks, .ring: 5
            case .trim: 10
            case .renewStamp, .emptyLog, .purge: 60
            }
        }
    }

    /// Nanoseconds of the monotonic clock.
    private var dueAt: [Job: Int64] = [:]
    private var failing: Set<Job> = []

    package init() {}

    package func due(now: Int64) -> [Job] { Job.allCases.filter { dueAt[$0, default: .min] <= now } }

    package mutating func did(_ job: Job, hasMore: Bool, now: Int64) {
        failing.remove(job)
        dueAt[job] = hasMore ? now : now + job.intervalSeconds * 1_000_000_000
    }

    /// - Returns: true for a first failure.
    package mutating func failed(_ job: Job, now: Int64) -> Bool {
        dueAt[job] = now + job.intervalSeconds * 1_000_000_000
        return failing.insert(job).inserted
    }
}
