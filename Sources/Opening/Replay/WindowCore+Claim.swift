import Envelope
import Keys

// Rules 23, 24 and 26: one id, claimed once.
extension WindowCore {
    /// Early enough to finish a sweep before the quota is full.
    private static let sweepCountMin = WindowLayout.quota * 13 / 16
    /// Bound for one operation.
    private static let releaseCountMax = 8

    mutating func claim(_ stamp: MessageStamp) throws(ReplayWindowError) -> ClaimVerdict {
        let sentAt = stamp.sentAt.milliseconds
        let expiresAt = stamp.expiresAt.milliseconds
        guard sentAt < expiresAt, expiresAt - sentAt <= WindowLayout.lifetimeMax else { return .tooOld }
        let sender = id(of: stamp.sender)
        let place = try find(sender)
        var record = ReplayRecord(key: stamp.key, sentAt: sentAt, lifetime: expiresAt - sentAt)
        let survey = try look(for: record.key)
        if let verdict = try known(survey) { return verdict }
        guard record.expiresAt > (try floor(slot(place))) else { return .tooOld }
        record.slot = try settle(sender, at: place)
        return try insert(&record, survey)
    }

    mutating func claim(webPush key: ReplayKey) throws(ReplayWindowError) -> ClaimVerdict {
        let survey = try look(for: key)
        if let verdict = try known(survey) { return verdict }
        let arrival = try row(SenderRow.webPushSlot).expiresMax + 1
        var record = ReplayRecord(key: key, sentAt: arrival, lifetime: 0)
        record.slot = SenderRow.webPushSlot
        return try insert(&record, survey)
    }

    mutating func commit(_ claim: ReplayClaim) throws(ReplayWindowError) {
        for place in try look(for: claim.key).matches {
            var record = try pages.record(place)
            guard record.state == .claimed else { continue }
            record.state = .done
            try writeNow(word: record.tail, at: pages.tailOffset(place))
        }
    }

    private mutating func look(for key: ReplayKey) throws(ReplayWindowError) -> RecordPair.Survey {
        try pages.read(key, salt: identity.salt, from: file)
        return try pages.survey(key)
    }

    /// Nil for an unknown or evicted id, whose expiry then decides.
    private mutating func known(_ survey: RecordPair.Survey) throws(ReplayWindowError) -> ClaimVerdict? {
        for place in survey.matches {
            var record = try pages.record(place)
            guard record.expiresAt > (try floor(record.slot)) else { continue }
            guard record.state == .claimed, !record.isClaimLive(at: header.time.tick) else { return .replay }
            record.claim(at: header.time.tick)
            // In the journal with the header, which includes every claim's time.
            write([record.tail], at: pages.tailOffset(place))
            return .reclaimed(ReplayClaim(key: record.key))
        }
        return nil
    }

    private mutating func insert(
        _ record: inout ReplayRecord,
        _ survey: RecordPair.Survey
    ) throws(ReplayWindowError) -> ClaimVerdict {
        if try row(record.slot).count >= WindowLayout.quota { try evictForQuota(record.slot) }
        // An evicted id reuses its own place.
        var free = survey.matches.first ?? survey.free
        if free == nil { free = try makePlace() }
        guard let place = free else { throw .damaged }
        // An eviction may have raised the floor above this message.
        guard record.expiresAt > (try floor(record.slot)) else { return .tooOld }
        try advanceSweep()
        var row = try self.row(record.slot)
        row.count += 1
        row.expiresMax = max(row.expiresMax, record.expiresAt)
        if record.expiresAt <= row.nextFloor { row.nextCount += 1 }
        setRow(record.slot, row)
        sweepSees(record, page: pages.numbers[place.side])
        if row.count >= Self.sweepCountMin, row.nextFloor == 0 { beginSweep(of: record.slot, row) }
        try storeSweep()
        record.claim(at: header.time.tick)
        write(record.words, at: pages.offset(place))
        return .new(ReplayClaim(key: record.key))
    }

    /// Releases evicted ids of two full pages, or evicts one.
    private mutating func makePlace() throws(ReplayWindowError) -> RecordPair.Place? {
        let used = try pages.used()
        var forgotten: [RecordPair.Place] = []
        for place in used where forgotten.count < Self.releaseCountMax {
            let slot = ReplayRecord.slot(in: pages.words[place.side], at: place.index)
            let expiresAt = ReplayRecord.expiresAt(in: pages.words[place.side], at: place.index)
            guard expiresAt <= (try floor(slot)) else { continue }
            forgotten.append(place)
            try raiseFloor(of: slot, to: expiresAt)
        }
        for place in forgotten.dropFirst() {
            try writeNow(word: ReplayRecord.freeTail, at: pages.tailOffset(place))
        }
        if let first = forgotten.first { return first }
        return try evict(among: used)
    }

    /// Evicts the earliest expiry: of Web Push first, which anyone can send, else of the fullest sender.
    private mutating func evict(among used: [RecordPair.Place]) throws(ReplayWindowError) -> RecordPair.Place? {
        var victim: (slot: Int, count: Int)?
        for place in used {
            let slot = ReplayRecord.slot(in: pages.words[place.side], at: place.index)
            let count = slot == SenderRow.webPushSlot ? Int.max : try row(slot).count
            if count > victim?.count ?? -1 { victim = (slot, count) }
        }
        guard let slot = victim?.slot else { return nil }
        let own = used.filter { ReplayRecord.slot(in: pages.words[$0.side], at: $0.index) == slot }
        func expiry(_ place: RecordPair.Place) -> UInt64 {
            ReplayRecord.expiresAt(in: pages.words[place.side], at: place.index)
        }
        guard let earliest = own.min(by: { expiry($0) < expiry($1) }) else { return nil }
        var row = try self.row(slot)
        row.evict(upTo: expiry(earliest), evictedCount: 1)
        setRow(slot, row)
        return earliest
    }
}
