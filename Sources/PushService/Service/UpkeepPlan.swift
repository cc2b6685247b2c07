/// Schedule of maintenance jobs. A value: no clock, no store.
///
/// A job runs in bounded steps. One that has more to do is due again at once, after the others.
package struct UpkeepPlan: Equatable, Sendable {
    package enum Job: CaseIterable, Sendable {
        /// Ends waiting entries whose time is over.
        case expire
        /// Reads depth and age of the queues.
        case measure
        /// Saves the used quotas.
        case saveQuota
        /// Wakes webhooks and fallbacks: a read of the queue may end notifications unnoticed, expired or with a damaged
        /// row.
        case ring
        /// Renews the stamp by which an earlier copy of the database file is recognized as old.
        case renewStamp
        /// Removes deleted data from SQLite's log.
        case emptyLog
        /// Deletes entries that ended before the retention.
        case purge
        /// Returns memory to the system after a flood.
        case trim

        /// Seconds between two runs without more work.
        package var intervalSeconds: Int64 {
            switch self {
            case .expire: 1
            case .measure, .saveQuota, .ring: 5
            case .trim: 10
            case .renewStamp, .emptyLog, .purge: 60
            }
        }
    }

    /// Due time of each job, in nanoseconds of the monotonic clock.
    private var dueAt: [Job: Int64] = [:]
    private var failing: Set<Job> = []

    package init() {}

    /// The due jobs in a fixed order. `now` is in nanoseconds of a monotonic clock.
    package func due(now: Int64) -> [Job] { Job.allCases.filter { dueAt[$0, default: .min] <= now } }

    package mutating func did(_ job: Job, hasMore: Bool, now: Int64) {
        failing.remove(job)
        dueAt[job] = hasMore ? now : now + job.intervalSeconds * 1_000_000_000
    }

    /// Records a failure; the job is retried after its interval.
    ///
    /// - Returns: true for a first failure, which goes into the log.
    package mutating func failed(_ job: Job, now: Int64) -> Bool {
        dueAt[job] = now + job.intervalSeconds * 1_000_000_000
        return failing.insert(job).inserted
    }
}
