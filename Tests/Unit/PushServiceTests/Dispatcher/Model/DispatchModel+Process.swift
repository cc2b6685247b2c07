import APNS
import Envelope
import PushStore

@testable import PushService

/// The service's use of its values, as in `SubmissionPipeline`, `ReplayHandler` and `Dispatcher`.
extension DispatchModel {
    // MARK: Requests

    /// One request's notifications: sent once stored where there is room, else queued.
    mutating func request() {
        guard entries.count(where: { !$0.state.isFinal }) < 250 else { return }
        let lane = pick(Lane.allCases)
        let isCall = lane == .urgent && chance(40)
        let attemptLimit = chance(20) ? 3 : nil
        let deadline = milliseconds + (isCall ? 30_000 : Int64.random(in: 2_000...120_000, using: &random))
        // A few busy devices, and many others.
        let devices = Set(
            (0..<Int.random(in: 1...3, using: &random)).map { _ in chance(50) ? pick(0..<4) : pick(4..<60) }
        )
        let word = isCall || chance(40) ? nil : pick(0..<2)
        let ids = devices.sorted().map { add($0, lane, isCollapsible: !isCall, word: word, attemptLimit, deadline) }
        guard let tickets = reserve(ids, lane) else {
            for id in ids { willQueue(id) }
            return waitingRuns.append(Run(entries: ids, lane: lane, tickets: nil))
        }
        handedOverCount += 1
        for id in ids { entries[id].wasHandedOver = true }
        waitingRuns.append(Run(entries: ids, lane: lane, tickets: tickets))
    }

    private mutating func add(
        _ device: Int,
        _ lane: Lane,
        isCollapsible: Bool,
        word: Int?,
        _ attemptLimit: Int?,
        _ deadline: Int64
    ) -> Int {
        entries.append(
            ModelEntry(
                id: entries.count,
                device: device,
                lane: lane,
                isCollapsible: isCollapsible,
                word: word,
                attemptLimit: attemptLimit,
                deadline: deadline,
                came: step
            )
        )
        return entries.count - 1
    }

    private mutating func reserve(_ ids: [Int], _ lane: Lane) -> Range<Int>? {
        let queue = queued[lane.index]
        let keys = ids.map { key(entries[$0].device) }
        let mayPass = keys.allSatisfy { queue.mayPass($0, now: time) } || mutant == .overtakesQueued
        guard mayPass, !isSuspended else { return nil }
        let tickets = lastTicket + 1..<lastTicket + 1 + ids.count
        let collapses = ids.map { collapse(of: entries[$0]) }
        guard flow.reserve(tickets, for: keys, replacing: collapses, in: lane, now: now) else { return nil }
        lastTicket += ids.count
        for id in ids {
            watchRate(entries[id].device)
            choose(id)
        }
        return tickets
    }

    /// An entry without a word has a collapse id of its own, but for calls.
    private func collapse(of entry: ModelEntry) -> DispatchFlow.CollapseKey? {
        guard entry.isCollapsible, mutant != .sendsTwoOfAWord else { return nil }
        return .init(value: entry.word.map { entry.device * 2 + $0 } ?? 1_000_000 + entry.id)
    }

    /// Chooses an entry to go out; queued ones for its device in other lanes lose their place.
    mutating func choose(_ id: Int) {
        let own = entries[id].lane.index
        let device = key(entries[id].device)
        if entries[id].isCollapsible, mutant != .forgetsThePassed {
            for index in queued.indices where index != own { queued[index].didPass(device) }
        }
        let created = Timestamp(milliseconds: UInt64(entries[id].created))
        entries[id].yields = queued[own].wasPassed(device, created: created)
        (entries[id].chosenAt, entries[id].answeredAt) = (step, .max)
    }

    mutating func losePlace(_ id: Int) {
        guard mutant != .forgetsThePassed else { return }
        queued[entries[id].lane.index].didPass(key(entries[id].device))
    }

    private mutating func willQueue(_ id: Int) {
        let entry = entries[id]
        let deadline = Timestamp(milliseconds: UInt64(entry.deadline))
        queued[entry.lane.index].willQueue(
            Self.apnsID(id),
            for: key(entry.device),
            deadline: deadline,
            now: time
        )
    }

    private mutating func didLeave(_ id: Int) {
        queued[entries[id].lane.index].didLeave(Self.apnsID(id))
    }

    mutating func replay() {
        guard let letter = entries.filter({ $0.state == .dead }).randomElement(using: &random) else { return }
        let copy = add(
            letter.device,
            letter.lane,
            isCollapsible: letter.isCollapsible,
            word: letter.word,
            letter.attemptLimit,
            milliseconds + 30_000
        )
        if mutant != .forgetsReplays { willQueue(copy) }
        writes.append(.replay(letter: letter.id, copy: copy))
    }

    mutating func resume() {
        isSuspended = false
        writes.append(.release)
    }

    mutating func keepUp() {
        expire()
        for lane in Lane.allCases {
            queued[lane.index].forgetLate(now: time)
            if queued[lane.index].wantsLook(now: time) { reads.append(.look(lane)) }
        }
    }

    // MARK: Completions

    mutating func deliver(_ completion: Completion) {
        switch completion {
        case .stored(let runs, let holds):
            isStoring = false
            for run in runs { didStore(run, holds: holds) }
        case .replayed(let copy, let holds):
            if holds {
                entries[copy].acknowledged = step
                flow.wake([entries[copy].lane])
            } else {
                entries[copy].state = .refused
                didLeave(copy)
            }
        case .marked(let batch, let sending): didMark(batch, sending)
        case .finished(let tickets, let holds):
            guard holds else {
                if mutant == .losesFailedOutcomes { return flow.didFinish(tickets) }
                return flow.didFailToFinish(tickets, now: now)
            }
            for ticket in tickets { pendings[ticket] = nil }
            flow.didFinish(tickets)
        case .took(let lane, let ids): didTake(ids, from: lane)
        case .looked(let lane, let oldest):
            let due = oldest.map { Timestamp(milliseconds: UInt64($0)) }
            queued[lane.index].didLook(oldestDue: due)
        case .released: flow.wake(Lane.allCases)
        }
    }

    private mutating func didStore(_ run: Run, holds: Bool) {
        guard holds else {
            for id in run.entries { entries[id].state = .refused }
            if let tickets = run.tickets { return flow.didNotStore(tickets) }
            return run.entries.forEach { didLeave($0) }
        }
        for id in run.entries { entries[id].acknowledged = step }
        guard let tickets = run.tickets else {
            if mutant == .leavesQueueWhenStored { for id in run.entries { didLeave(id) } }
            return flow.wake([run.lane])
        }
        for (ticket, id) in zip(tickets, run.entries) {
            pendings[ticket] = Pending(entry: id, attemptCount: 0)
            begin(DispatchFlow.Marked(ticket: ticket, postponedBy: nil))
        }
    }

    private mutating func didTake(_ ids: [Int], from lane: Lane) {
        var items: [DispatchFlow.Item] = []
        for id in ids {
            lastTicket += 1
            pendings[lastTicket] = Pending(entry: id, attemptCount: entries[id].attemptCount)
            items.append(
                DispatchFlow.Item(
                    ticket: lastTicket,
                    lane: lane,
                    isRetry: entries[id].isRetry,
                    device: mutant == .ignoresRates ? nil : key(entries[id].device),
                    collapse: collapse(of: entries[id]),
                    leasedUntil: now + 270_000_000_000
                )
            )
        }
        flow.didTake(items, from: lane, isAll: ids.isEmpty)
    }

    private mutating func didMark(_ batch: [DispatchFlow.Marked], _ sending: Set<Int>?) {
        guard let sending else {
            if mutant == .losesFailedMarks {
                for one in batch { if let id = pendings[one.ticket]?.entry { leased.insert(id) } }
            }
            for one in batch {
                guard let id = pendings.removeValue(forKey: one.ticket)?.entry else { continue }
                entries[id].answeredAt = step
                losePlace(id)
            }
            return flow.didFailToMark(batch, now: now)
        }
        for one in batch {
            if let pending = pendings[one.ticket], pending.attemptCount == 0 { didLeave(pending.entry) }
        }
        let lost = batch.map(\.ticket).filter { !sending.contains($0) }
        for ticket in lost {
            if let id = pendings.removeValue(forKey: ticket)?.entry { entries[id].answeredAt = step }
        }
        flow.didMark(batch, lost: lost)
        guard mutant != .sendsBeforeTheMark else { return }
        for one in batch where sending.contains(one.ticket) { begin(one) }
    }

    // MARK: APNs

    mutating func begin(_ marked: DispatchFlow.Marked) {
        guard let pending = pendings[marked.ticket] else { return }
        if let wait = marked.postponedBy {
            let due = milliseconds + Int64(wait / .milliseconds(1))
            entries[pending.entry].isBegun = true
            return settle(marked.ticket, Outcome(verdict: .retry(due), isAttempt: false))
        }
        if isSuspended {
            entries[pending.entry].isBegun = true
            return settle(marked.ticket, Outcome(verdict: .park, isAttempt: false))
        }
        watchPush(pending.entry)
        pushes.append(marked.ticket)
        if mutant == .sendsAgainAtOnce, chance(10) { watchPush(pending.entry) }
    }

    mutating func answer(_ ticket: Int, _ isCalm: Bool) {
        guard let pending = pendings[ticket] else { return }
        let entry = entries[pending.entry]
        let result = isCalm ? .answered(status: 200, reason: nil, timestamp: nil) : outcome()
        let context = AttemptContext(
            lane: entry.lane,
            attemptCount: entry.attemptCount + 1,
            attemptLimit: entry.attemptLimit,
            hasCollapseID: entry.isCollapsible,
            deadline: Timestamp(milliseconds: UInt64(max(0, entry.deadline))),
            lastWait: .milliseconds(entry.lastWait)
        )
        let decision = rules.decide(
            result,
            context,
            now: Timestamp(milliseconds: UInt64(max(0, milliseconds))),
            jitter: Double.random(in: 0..<1, using: &random)
        )
        if case .slowDown(let wait) = decision.device { flow.bucket.slowDown(key(entry.device), for: wait, now: now) }
        if decision.lane == .suspend { isSuspended = true }
        let isUnknown = result == .ambiguous
        entries[pending.entry].isOutcomeUnknown = isUnknown
        let settled: Outcome.Verdict =
            switch decision.notification {
            case .accepted: .accepted
            case .dead: .dead
            case .park: .park
            case .retry(let time): .retry(Int64(clamping: time.milliseconds))
            }
        if case .park = settled { entries[pending.entry].parkCount += 1 }
        let isAttempt = result != .notWritten && result != .suspended
        if !isAttempt { entries[pending.entry].pushCount -= 1 }
        settle(ticket, Outcome(verdict: settled, isAttempt: isAttempt, isUnknown: isUnknown))
    }

    private mutating func outcome() -> AttemptResult {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60: .answered(status: 200, reason: nil, timestamp: nil)
        case 60..<70: .answered(status: 503, reason: .serviceUnavailable, timestamp: nil)
        case 70..<75: .answered(status: 429, reason: .tooManyRequests, timestamp: nil)
        case 75..<80: .answered(status: 400, reason: .badCollapseID, timestamp: nil)
        case 80..<81: .answered(status: 403, reason: .invalidProviderToken, timestamp: nil)
        case 81..<82: .suspended
        case 82..<88: .notProcessed
        case 88..<92: .notWritten
        default: .ambiguous
        }
    }

    private mutating func settle(_ ticket: Int, _ outcome: Outcome) {
        guard let pending = pendings[ticket] else { return }
        pendings[ticket]?.outcome = outcome
        if case .retry(let time) = outcome.verdict {
            let wait = max(0, time - milliseconds) * 1_000_000
            flow.willHaveMore(entries[pending.entry].lane, at: now + wait)
            if !outcome.isAttempt { entries[pending.entry].putOffAt = step }
            let isUntried = !outcome.isAttempt && pending.attemptCount == 0
            if isUntried, mutant != .forgetsWhatIsPutOff { willQueue(pending.entry) }
        }
        entries[pending.entry].answeredAt = step
        flow.didAnswer(ticket)
    }

    private mutating func pick(_ numbers: Range<Int>) -> Int { Int.random(in: numbers, using: &random) }
    private mutating func pick(_ lanes: [Lane]) -> Lane {
        lanes[Int.random(in: lanes.indices, using: &random)]
    }
}
