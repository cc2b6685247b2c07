import PushStore

@testable import PushService

/// Invariants that hold whenever a push goes out.
extension DispatchModel {
    mutating func watchPush(_ id: Int) {
        let entry = entries[id]
        if entry.state != .sending { fail("\(id) goes out and is \(entry.state) on the disk") }
        if pushes.contains(where: { pendings[$0]?.entry == id }) { fail("\(id) is on its way twice") }
        if entry.isOutcomeUnknown, !entry.isCollapsible { fail("\(id) has no collapse id and may be shown twice") }
        if entry.due > milliseconds { fail("\(id) goes out \(entry.due - milliseconds) ms before it is due") }
        if let limit = entry.attemptLimit, entry.pushCount >= limit + entry.parkCount {
            fail("\(id) goes out more than \(limit) times")
        }
        watchOrder(entry)
        watchScreen(entry)
        entries[id].pushCount += 1
        entries[id].isPushed = true
        entries[id].isBegun = true
    }

    /// Checks that entries known to be stored before this one's request went out first, for the same device and lane:
    /// in queue order while the disk works, and in any case where this one was never queued.
    private mutating func watchOrder(_ entry: ModelEntry) {
        guard !entry.isBegun, entry.attemptCount == 0 else { return }
        for other in entries
        where other.device == entry.device && other.lane == entry.lane && other.id != entry.id
            && other.deadline > milliseconds
        {
            guard let acknowledged = other.acknowledged, acknowledged < entry.came else { continue }
            if failurePercent == 0, other.hasPlace, !isBehindItsWord(other, when: entry) {
                fail("\(entry.id) overtakes \(other.id)")
            }
            let isPutOff = other.state == .queued && other.attemptCount == 0 && other.putOffIn == life
            if isPutOff, other.putOffAt < entry.came, !other.wasParked, entry.wasHandedOver {
                fail("\(entry.id) overtakes \(other.id), put off")
            }
        }
    }

    /// True if it waited, when another was chosen, for the answer to one that it replaces.
    private func isBehindItsWord(_ entry: ModelEntry, when other: ModelEntry) -> Bool {
        entry.word != nil
            && entries.contains { third in
                third.id != entry.id && third.device == entry.device && third.word == entry.word
                    && third.chosenAt <= other.chosenAt && third.answeredAt >= other.chosenAt
            }
    }

    /// Checks that nothing goes out beside another with its word, as the two could arrive in either order, nor behind a
    /// newer one that it would replace.
    private mutating func watchScreen(_ entry: ModelEntry) {
        for ticket in pushes {
            guard let id = pendings[ticket]?.entry, id != entry.id, entries[id].device == entry.device else { continue }
            if entry.word != nil, entries[id].word == entry.word { fail("\(entry.id) goes out beside \(id)") }
        }
        for other in entries.dropFirst(entry.id + 1) where entry.isReplaced(by: other) && other.isPushed {
            fail("\(entry.id) takes the place of \(other.id)")
        }
    }

    /// Takes one of the device's tokens: a reference implementation of the bucket.
    mutating func watchRate(_ device: Int) {
        let full = max(rates[device] ?? now, now)
        if full - now > Self.interval * Int64(Self.burst - 1) { fail("device \(device) gets more than its rate") }
        rates[device] = full + Self.interval
    }

    mutating func watch(_ batch: [DispatchFlow.Marked]) {
        for one in batch {
            guard let entry = pendings[one.ticket].map({ entries[$0.entry] }) else { return fail("marks nothing") }
            if one.postponedBy == nil { watchRate(entry.device) }
            watchTurns(entry)
        }
        let inFlight = flow.scheduler.inFlight
        let (others, max) = (inFlight.normal + inFlight.background, Self.inFlightMax)
        if inFlight.urgent + others > max { fail("more than \(max) are on their way") }
        if others > max - max / 8 || inFlight.background > max / 2 { fail("less urgent ones fill the way") }
        // A lane with nothing waiting has not been passed over.
        for lane in Lane.allCases {
            let waiting = flow.waiting[lane.index]
            if waiting.fresh.count + waiting.retries.count == 0 || isFull(lane) { choicesSince[lane] = 0 }
            if waiting.retries.count == 0 { freshSinceRetry[lane] = 0 }
        }
        // An entry that finds its device busy has had its turn.
        let waitingMax = flow.bounds.heldCountMax + flow.bounds.behindCountMax
        let freshMax = LaneScheduler.retryInterval * (1 + waitingMax)
        if (choicesSince[.urgent] ?? 0) > LaneScheduler.othersBeforeUrgentMax { fail("urgent ones wait for others") }
        for lane in Lane.allCases {
            if (choicesSince[lane] ?? 0) > 21 * 2 { fail("\(lane) starves") }
            if (freshSinceRetry[lane] ?? 0) > freshMax { fail("retries starve in \(lane)") }
        }
    }

    private mutating func watchTurns(_ entry: ModelEntry) {
        for lane in Lane.allCases { choicesSince[lane, default: 0] += 1 }
        choicesSince[entry.lane] = 0
        if entry.isRetry { freshSinceRetry[entry.lane] = 0 } else { freshSinceRetry[entry.lane, default: 0] += 1 }
    }

    private func isFull(_ lane: Lane) -> Bool {
        let inFlight = flow.scheduler.inFlight
        let (others, max) = (inFlight.normal + inFlight.background, Self.inFlightMax)
        let total = inFlight.urgent + others
        return switch lane {
        case .urgent: total >= max
        case .normal: total >= max || others >= max - max / 8
        case .background: inFlight.background >= max / 2 || total >= max - max / 8
        }
    }
}
