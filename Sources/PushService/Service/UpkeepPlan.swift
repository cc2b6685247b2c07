/// When which work of upkeep is due. A value: no clock, no store.
///
/// Each job is a step of bounded work; one that found as much as it may do in a step has more to do, and is due again
/// at once, behind the others.
package struct UpkeepPlan: Equatable, Sendable {
    package enum Job: CaseIterable, Sendable {
        /// Ends what waits and has no time left.
        case expire
        /// Reads depth and age of the queues.
        case measure
        /// Writes down what was used of quotas.
        case saveQuota
        /// Has whoever tells tenants look, whatever was told of: notifications end where nobody sees it, in a look at
        /// the queue that finds their time over, or their row damaged.
        case ring
        /// Makes every copy of the database's file from before now an older one.
        case renewStamp
        /// Takes out of SQLite's log what was deleted from the database.
        case emptyLog
        /// Forgets what ended before the retention.
        case purge
        /// Returns memory to the system after a flood.
        case trim

        /// Seconds between two runs that found nothing more.
        package var intervalSeconds: Int64 {
            switch self {
            case .expire: 1
            case .measure, .saveQuota, .ring: 5
            case .trim: 10
            case .renewStamp, .emptyLog, .purge: 60
            }
        }
    }

    /// Nanoseconds of the monotonic clock, for each job.
    private var dueAt: [Job: Int64] = [:]
    private var failing: Set<Job> = []

    package init() {}

    /// - Parameter now: nanoseconds of a monotonic clock.
    /// - Returns: what is to be done, each once, in a fixed order.
    package func due(now: Int64) -> [Job] { Job.allCases.filter { dueAt[$0, default: .min] <= now } }

    /// - Parameters:
    ///   - job: that was done.
    ///   - hasMore: whether it left something.
    ///   - now: nanoseconds of the same clock.
    package mutating func did(_ job: Job, hasMore: Bool, now: Int64) {
        failing.remove(job)
        dueAt[job] = hasMore ? now : now + job.intervalSeconds * 1_000_000_000
    }

    /// The store did not do it; it is tried again in its turn.
    ///
    /// - Parameters:
    ///   - job: that failed.
    ///   - now: nanoseconds of the same clock.
    /// - Returns: whether that is news, and goes into the log.
    package mutating func failed(_ job: Job, now: Int64) -> Bool {
        dueAt[job] = now + job.intervalSeconds * 1_000_000_000
        return failing.insert(job).inserted
    }
}
