import APNS
import Envelope
import PushStore
import PushStorePattern
import TestSupport

@testable import PushService

/// The dispatcher's values with a store, an APNs and a process around them, each a few arrays. Writes happen in order
/// with reads beside them, results arrive later, some fail, APNs answers in any order, and the process may die between
/// any two steps. Invariants are checked at every step.
struct DispatchModel {
    struct Pending {
        let entry: Int
        let attemptCount: Int
        var outcome: Outcome?
    }

    struct Outcome {
        enum Verdict { case accepted, dead, park, retry(Int64) }
        let verdict: Verdict
        let isAttempt: Bool
        var isUnknown = false
    }

    /// One request's entries on their way to the disk.
    struct Run {
        let entries: [Int]
        let lane: Lane
        /// nil: they are queued.
        let tickets: Range<Int>?
    }

    enum Write {
        case store([Run])
        case replay(letter: Int, copy: Int)
        case mark([DispatchFlow.Marked], [Int])
        case finish([Int], [(entry: Int, attemptCount: Int, outcome: Outcome)])
        case release
    }

    enum Read { case take(Lane, limit: Int, retryLimit: Int), look(Lane) }

    enum Completion {
        case stored([Run], holds: Bool)
        case replayed(copy: Int, holds: Bool)
        case marked([DispatchFlow.Marked], sending: Set<Int>?)
        case finished([Int], holds: Bool)
        case took(Lane, [Int])
        case looked(Lane, oldestDue: Int64?)
        case released
    }

    static let inFlightMax = 40
    static let burst = 3
    static let interval: Int64 = 500_000_000
    static let start: Int64 = 1_793_491_200_000

    let mutant: ModelMutant?
    let failurePercent: Int
    var random: SeededRandom
    let rules = DispatchRules(RetryDelay(serverErrorWaitSeconds: 2))
    /// Nanoseconds of the monotonic clock.
    var now: Int64 = 0
    var step = 0
    var life = 1
    var fault: String?

    // On the disk.
    var entries: [ModelEntry] = []
    /// Results of writes, in order, before their callers learn of them.
    var inbox: [Completion] = []

    // In the process.
    var flow: DispatchFlow
    var queued: [QueuedDevices]
    var pendings: [Int: Pending] = [:]
    var leased: Set<Int> = []
    var writes: [Write] = []
    var reads: [Read] = []
    var pushes: [Int] = []
    var waitingRuns: [Run] = []
    var isStoring = false
    var isSuspended = false
    var lastTicket = 0

    // For the checks.
    var rates: [Int: Int64] = [:]
    var othersSinceUrgent = 0
    var choicesSince: [Lane: Int] = [:]
    var freshSinceRetry: [Lane: Int] = [:]
    var handedOverCount = 0
    var crashCount = 0
    var supersededCount = 0

    init(seed: UInt64, failurePercent: Int, mutant: ModelMutant? = nil) {
        self.mutant = mutant
        self.failurePercent = failurePercent
        random = SeededRandom(seed: seed)
        flow = Self.newFlow()
        queued = []
        queued = newQueues()
    }

    static func newFlow() -> DispatchFlow {
        let perMinute = Int(60_000_000_000 / interval)
        var bounds = DispatchFlow.Bounds()
        (bounds.heldCountMax, bounds.behindCountMax) = (6, 6)
        (bounds.markCountMax, bounds.takeCountMax) = (24, 32)
        return DispatchFlow(
            inFlightMax: inFlightMax,
            bucket: DeviceBucket(perMinute: perMinute, burst: burst, deviceCountMax: 1_000),
            bounds: bounds
        )
    }

    func newQueues() -> [QueuedDevices] {
        Lane.allCases.map { _ in
            var queue = QueuedDevices(unknownUntil: time)
            if mutant == .knowsEverythingAtStart { queue.didLook(oldestDue: nil) }
            return queue
        }
    }

    var milliseconds: Int64 { Self.start + now / 1_000_000 }
    var time: Timestamp { Timestamp(milliseconds: UInt64(milliseconds)) }
    var isDone: Bool { entries.allSatisfy(\.state.isFinal) && waitingRuns.isEmpty && !isStoring }
    var summary: String {
        let open = entries.filter { !$0.state.isFinal }
        return "\(entries.count) entries, \(open.count) open: \(open.prefix(3).map { "\($0)" })"
    }

    func key(_ device: Int) -> DeviceBucket.Key { DeviceBucket.Key(shardHash: UInt64(device)) }
    static func apnsID(_ entry: Int) -> APNSID {
        APNSID(randomBytes: (0..<16).map { UInt8(truncatingIfNeeded: entry >> (8 * ($0 % 4))) ^ UInt8($0) })
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func fail(_ text: String) { if fault == nil { fault = "step \(step): \(text)" } }

    // MARK: A step

    /// Makes one event happen, and begins what the flow then wants.
    ///
    /// - Parameter isCalm: nothing fails, nothing new comes and the process lives: every entry must come to its end.
    mutating func advance(isCalm: Bool = false) {
        step += 1
        now += Int64.random(in: 0...20_000_000, using: &random)
        if chance(2) { now += Int64.random(in: 0...3_000_000_000, using: &random) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<22: if !writes.isEmpty { execute(writes.removeFirst(), fails: !isCalm && chance(failurePercent)) }
        case 22..<36: if !reads.isEmpty { execute(reads.removeFirst()) }
        case 36..<62: if !inbox.isEmpty { deliver(inbox.removeFirst()) }
        case 62..<80:
            if !pushes.isEmpty { answer(pushes.remove(at: Int.random(in: 0..<pushes.count, using: &random)), isCalm) }
        case 80..<91: if !isCalm { request() }
        case 91..<95: if !isCalm { replay() }
        case 95..<99: keepUp()
        default:
            if isCalm || chance(50) {
                if isSuspended { resume() }
            } else if chance(20) {
                crash()
            }
        }
        endTurn()
    }

    private mutating func endTurn() {
        while let effect = flow.next(now: now) { perform(effect) }
        guard !isStoring, !waitingRuns.isEmpty else { return }
        isStoring = true
        writes.append(.store(waitingRuns))
        waitingRuns = []
    }

    private mutating func perform(_ effect: DispatchFlow.Effect) {
        switch effect {
        case .take(let lane, let limit, let retryLimit):
            reads.append(.take(lane, limit: limit, retryLimit: retryLimit))
        case .mark(let batch):
            watch(batch)
            for one in batch { if let id = pendings[one.ticket]?.entry { choose(id) } }
            if mutant == .sendsBeforeTheMark { for one in batch { begin(one) } }
            writes.append(.mark(batch, batch.compactMap { pendings[$0.ticket]?.entry }))
        case .finish(let batch):
            let outcomes = batch.compactMap { ticket in
                pendings[ticket].flatMap { pending in
                    pending.outcome.map { (entry: pending.entry, attemptCount: pending.attemptCount, outcome: $0) }
                }
            }
            if outcomes.count != batch.count { fail("finished without an outcome") }
            writes.append(.finish(batch, outcomes))
        case .giveBack(let tickets):
            for ticket in tickets {
                guard let entry = pendings.removeValue(forKey: ticket)?.entry else { continue }
                leased.remove(entry)
                losePlace(entry)
            }
        }
    }

    // MARK: The end of a process

    /// Drops everything that is not on the disk, and starts the next process.
    mutating func crash() {
        crashCount += 1
        life += 1
        (writes, reads, inbox, pushes, waitingRuns) = ([], [], [], [], [])
        (pendings, leased, isStoring, isSuspended) = ([:], [], false, false)
        flow = Self.newFlow()
        queued = newQueues()
        (rates, othersSinceUrgent, choicesSince, freshSinceRetry) = ([:], 0, [:], [:])
        for index in entries.indices {
            if entries[index].state == .storing { entries[index].state = .refused }
            guard entries[index].state == .sending else { continue }
            entries[index].attemptCount += 1
            entries[index].isBegun = true
            entries[index].isOutcomeUnknown = true
            entries[index].maybeDuplicate = true
            let isLast = entries[index].attemptLimit.map { entries[index].attemptCount >= $0 } ?? false
            let mayGoAgain = entries[index].isCollapsible || mutant == .ringsTwice
            if !mayGoAgain || isLast || entries[index].deadline <= milliseconds {
                finish(index, as: .dead)
            } else {
                (entries[index].state, entries[index].due) = (.queued, milliseconds)
            }
        }
        // As at a start.
        writes.append(.release)
    }

    mutating func finish(_ index: Int, as state: ModelEntry.State) {
        entries[index].endCount += 1
        if entries[index].endCount > 1 { fail("\(index) ends twice") }
        entries[index].state = state
    }
}
