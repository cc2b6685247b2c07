import APNS
import PushStore

/// Queues parked entries again, in short steps.
///
/// After a start or reload, a few of an app's notifications go first, the rest after an answer: hundreds of refusals at
/// once would close connections and stop the credential's other apps.
struct ReleaseQueue {
    enum Amount: Equatable {
        /// Suspension's probe.
        case one(SuspensionTable.Scope)
        /// Harmless even if all are refused.
        case few
        case rest
    }

    struct Step: Equatable {
        let tenant: TenantID
        let topic: Topic
        let app: SuspensionTable.Scope
        var amount: Amount
        /// Tenant's parked entries at the start of the rest, less those released; nil if unknown. Without those parked
        /// since.
        var left: Int?

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
    /// The few may get no answer, if their devices are gone.
    static let patienceNanoseconds = 60 * UpkeepTimes.second
    private var steps: [Step] = []
    /// Steps for the rest.
    private var held: [(step: Step, until: Int64)] = []
    private var isUnderWay = false
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

    /// Notes an answer that shows the app's credential accepted.
    mutating func didPass(_ app: SuspensionTable.Scope) {
        guard !held.isEmpty else { return }
        bringBack { $0.step.app == app }
    }

    private mutating func bringBack(_ isBack: ((step: Step, until: Int64)) -> Bool) {
        guard held.contains(where: isBack) else { return }
        add(held.filter(isBack).map(\.step))
        held.removeAll(where: isBack)
    }

    /// - Parameter count: nil if the store failed.
    mutating func didEnd(_ step: Step, count: Int?, now: Int64) {
        isUnderWay = false
        guard let count else {
            pausedUntil = now &+ UpkeepTimes.second
            return steps.append(step)
        }
        switch step.amount {
        // One push is enough.
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
