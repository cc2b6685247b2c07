import APNS
import PushStore

/// What was parked and may be queued again, in steps so that nobody waits long for it.
///
/// After a start and a reload nobody knows whether an app is believed again. So a few of its notifications go first, and
/// the rest when APNs has answered one of them: hundreds of refusals at once would stop, with the connections, the other
/// apps of the same credential.
struct ReleaseQueue {
    enum Amount: Equatable {
        /// One, to see whether what was suspended goes.
        case one(SuspensionBook.Scope)
        /// As many as do no harm if all of them are refused, and the rest later.
        case few
        case rest
    }

    struct Step: Equatable {
        let tenant: TenantID
        let topic: Topic
        /// The app and the credential, of all tenants that have both.
        let app: SuspensionBook.Scope
        var amount: Amount
        /// How many of the tenant's were parked when the rest began, less those that it has released; nil: not known. What
        /// is parked again meanwhile, as that of the app's other environment may be, is not the rest.
        var left: Int?

        /// How many it releases at most.
        var countMax: Int {
            switch amount {
            case .one: 1
            case .few: ReleaseQueue.fewCountMax
            case .rest: ReleaseQueue.restCountMax
            }
        }
    }

    static let fewCountMax = 10
    static let restCountMax = 500
    /// So long the rest waits for an answer. There may be none: the few were for devices that are gone.
    static let patienceNanoseconds = 60 * UpkeepTimes.second
    private var steps: [Step] = []
    /// What is the rest of a few.
    private var held: [(step: Step, until: Int64)] = []
    private var isUnderWay = false
    /// After a failure.
    private var pausedUntil = Int64.min

    mutating func add(_ more: [Step]) {
        for step in more where !steps.contains(step) { steps.append(step) }
    }

    mutating func take(now: Int64) -> Step? {
        bringBack { $0.until <= now }
        guard !isUnderWay, !steps.isEmpty, now >= pausedUntil else { return nil }
        isUnderWay = true
        return steps.removeFirst()
    }

    /// An answer that only an app gets that is believed.
    mutating func didPass(_ app: SuspensionBook.Scope) {
        guard !held.isEmpty else { return }
        bringBack { $0.step.app == app }
    }

    private mutating func bringBack(_ isBack: ((step: Step, until: Int64)) -> Bool) {
        guard held.contains(where: isBack) else { return }
        add(held.filter(isBack).map(\.step))
        held.removeAll(where: isBack)
    }

    /// - Parameters:
    ///   - step: what was done.
    ///   - count: how many it released; nil: the store could not.
    ///   - now: nanoseconds of the monotonic clock.
    mutating func didEnd(_ step: Step, count: Int?, now: Int64) {
        isUnderWay = false
        guard let count else {
            pausedUntil = now &+ UpkeepTimes.second
            return steps.append(step)
        }
        switch step.amount {
        // One push is enough to see.
        case .one: if count > 0 { steps.removeAll { $0.amount == step.amount } }
        case .few:
            guard count >= step.countMax else { return }
            var rest = step
            rest.amount = .rest
            held.append((step: rest, until: now &+ Self.patienceNanoseconds))
        case .rest:
            guard count >= step.countMax else { return }
            var rest = step
            rest.left = step.left.map { $0 - count }
            if rest.left ?? 1 > 0 { add([rest]) }
        }
    }
}
