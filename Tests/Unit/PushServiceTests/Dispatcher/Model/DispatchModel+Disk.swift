@testable import PushService

/// The model's disk: a write happens whole or not at all; a read finds what is written.
extension DispatchModel {
    mutating func execute(_ write: Write, fails: Bool) {
        switch write {
        case .store(let runs):
            if !fails { for entry in runs.flatMap({ $0.tickets == nil ? [] : $0.entries }) { store(entry, .sending) } }
            if !fails { for entry in runs.flatMap({ $0.tickets == nil ? $0.entries : [] }) { store(entry, .queued) } }
            inbox.append(.stored(runs, holds: !fails))
        case .replay(_, let copy):
            if !fails { store(copy, .queued) }
            inbox.append(.replayed(copy: copy, holds: !fails))
        case .mark(let batch, let ids): mark(batch, ids, fails: fails)
        case .finish(let tickets, let outcomes):
            let handed = mutant == .endsTwice ? outcomes + outcomes : outcomes
            if !fails { for one in handed { settle(one.entry, one.attemptCount, one.outcome) } }
            inbox.append(.finished(tickets, holds: !fails))
        case .release:
            for index in entries.indices where entries[index].state == .parked {
                (entries[index].state, entries[index].due) = (.queued, milliseconds)
            }
            inbox.append(.released)
        }
    }

    private mutating func store(_ entry: Int, _ state: ModelEntry.State) {
        (entries[entry].state, entries[entry].due) = (state, milliseconds)
        entries[entry].created = milliseconds
    }

    private mutating func mark(_ batch: [DispatchFlow.Marked], _ ids: [Int], fails: Bool) {
        for id in ids { leased.remove(id) }
        guard !fails else { return inbox.append(.marked(batch, sending: nil)) }
        var sending: Set<Int> = []
        for (marked, id) in zip(batch, ids) where entries[id].state == .queued {
            if entries[id].deadline <= milliseconds {
                finish(id, as: entries[id].isOutcomeUnknown ? .dead : .expired)
            } else if mutant != .replacesNewer, isSuperseded(entries[id]) {
                supersededCount += 1
                finish(id, as: .dead)
            } else {
                (entries[id].state, entries[id].isPushed) = (.sending, false)
                sending.insert(marked.ticket)
            }
        }
        inbox.append(.marked(batch, sending: sending))
    }

    private func isSuperseded(_ entry: ModelEntry) -> Bool {
        (!entry.isUntouched || entry.yields) && entries.dropFirst(entry.id + 1).contains { entry.isReplaced(by: $0) }
    }

    private mutating func settle(_ id: Int, _ attemptCount: Int, _ outcome: Outcome) {
        guard mutant == .endsTwice || entries[id].state == .sending && entries[id].attemptCount == attemptCount else {
            return
        }
        if outcome.isUnknown { entries[id].maybeDuplicate = true }
        if outcome.isAttempt, mutant != .countsNoAttempts { entries[id].attemptCount += 1 }
        switch outcome.verdict {
        case .accepted: finish(id, as: .accepted)
        case .dead: finish(id, as: .dead)
        case .park: (entries[id].state, entries[id].wasParked) = (.parked, true)
        case .retry(let time):
            let isLast = outcome.isAttempt && entries[id].attemptLimit.map { entries[id].attemptCount >= $0 } ?? false
            if isLast { return finish(id, as: .dead) }
            if time >= entries[id].deadline { return finish(id, as: outcome.isUnknown ? .dead : .expired) }
            entries[id].lastWait = max(0, time - milliseconds)
            (entries[id].state, entries[id].due) = (.queued, time)
            if !outcome.isAttempt { entries[id].putOffIn = life }
        }
    }

    // MARK: Reads

    mutating func execute(_ read: Read) {
        switch read {
        case .look(let lane):
            let oldest = entries.filter { $0.lane == lane && $0.state == .queued }.map(\.due).min()
            inbox.append(.looked(lane, oldestDue: oldest))
        case .take(let lane, let limit, let retryLimit):
            expire()
            let due = entries.filter {
                $0.lane == lane && $0.state == .queued && !leased.contains($0.id)
                    && ($0.due <= milliseconds || mutant == .ignoresDueTimes)
            }.sorted { ($0.due, $0.id) < ($1.due, $1.id) }
            let fresh = due.filter { !$0.isRetry }.map(\.id)
            let tried = due.filter(\.isRetry).map(\.id)
            let freshCount = min(limit - min(retryLimit, tried.count), fresh.count)
            let taken = tried.prefix(limit - freshCount) + fresh.prefix(freshCount)
            leased.formUnion(taken)
            inbox.append(.took(lane, Array(taken)))
        }
    }

    mutating func expire() {
        for index in entries.indices where entries[index].deadline <= milliseconds && !leased.contains(index) {
            guard entries[index].state == .queued || entries[index].state == .parked else { continue }
            finish(index, as: entries[index].isOutcomeUnknown ? .dead : .expired)
        }
    }
}
