import Envelope
import Keys
import Primitives

// Rule 27: the latest change to a target holds. Only replace, remove and badge leave a row. A sender that fills the
// bounded table makes the window forget its own changes; its older messages are then superseded: nothing removed shows
// again.
extension WindowCore {
    /// In one page of 85: about 1,700 changes in all.
    static let orderQuota = 21

    private struct OrderSlot {
        let page: Int
        let index: Int
        let row: OrderRow?

        var offset: Int {
            WindowLayout.offset(ofPage: WindowLayout.orderPages.lowerBound + page) + index * OrderRow.wordCount * 8
        }
    }

    mutating func order(_ change: OrderedChange) throws(ReplayWindowError) -> OrderVerdict {
        let sender = id(of: change.sender)
        let place = try find(sender)
        let key = ReplayKey(digest: SHA256.hash(change.sender.rawRepresentation, change.target ?? []))
        let row = OrderRow(change, key: key, slot: slot(place))
        let places = try orderPlaces(key)
        if let known = places.first(where: { $0.row?.key == key }), let latest = known.row {
            if latest.isLater(than: row) { return .superseded }
            if row.isLater(than: latest) { try put(row, at: known, slot(place)) }
            return .newest
        }
        let floors = try self.row(slot(place))
        guard row.isAbove(floors.orderFloor) else { return .superseded }
        switch change.kind {
        case .show: return .newest
        case .replace, .remove:
            if let target = change.target, try isOlder(row, thanShowOf: target, by: change.sender) {
                return .superseded
            }
        case .badge: break
        }
        let owner = try settle(sender, at: place)
        let target = try makeOrderPlace(places, for: owner)
        // Its own floor may have risen above it.
        guard row.isAbove(try self.row(owner).orderFloor) else { return .superseded }
        try put(OrderRow(change, key: key, slot: owner), at: target, owner)
        return .newest
    }

    private mutating func put(_ row: OrderRow, at place: OrderSlot, _ owner: Int) throws(ReplayWindowError) {
        var sender = try self.row(owner)
        sender.expiresMax = max(sender.expiresMax, row.keepUntil)
        setRow(owner, sender)
        write(row.words, at: place.offset)
    }

    /// True for a change sent before the message that it names.
    private mutating func isOlder(
        _ row: OrderRow,
        thanShowOf target: [UInt8],
        by sender: SenderKey
    ) throws(ReplayWindowError) -> Bool {
        let key = ReplayKey(sender: sender, messageID: target)
        try pages.read(key, salt: identity.salt, from: file)
        for place in try pages.survey(key).matches {
            let shown = try pages.record(place)
            let isLater = row.isLater(
                thanSentAt: shown.sentAt,
                high: target.word(at: 0),
                low: target.word(at: 8)
            )
            if !isLater { return true }
        }
        return false
    }

    private mutating func orderPlaces(_ key: ReplayKey) throws(ReplayWindowError) -> [OrderSlot] {
        let count = UInt64(WindowLayout.orderPages.count)
        let digest = SHA256.hash(identity.salt, key.bytes)
        let first = digest.word(at: 16) % count
        let second = digest.word(at: 24) % count
        var places: [OrderSlot] = []
        for number in [first, second == first ? (second + 1) % count : second] {
            try file.read(
                into: &page,
                at: WindowLayout.offset(ofPage: WindowLayout.orderPages.lowerBound + Int(number))
            )
            for index in 0..<WindowLayout.rowsPerPage {
                let row = try OrderRow.read(page, at: index)
                places.append(OrderSlot(page: Int(number), index: index, row: row))
            }
        }
        return places
    }

    /// Place in the emptier page. Evicts the row sent first: of the sender itself if its share is full, else of the
    /// sender with most.
    private mutating func makeOrderPlace(
        _ places: [OrderSlot],
        for owner: Int
    ) throws(ReplayWindowError) -> OrderSlot {
        let bound = header.time.bound
        func isFree(_ place: OrderSlot) -> Bool { place.row.map { $0.keepUntil <= bound } ?? true }
        let first = places.prefix(WindowLayout.rowsPerPage)
        let second = places.suffix(WindowLayout.rowsPerPage)
        let emptier = first.count(where: isFree) >= second.count(where: isFree) ? first : second
        let own = emptier.filter { !isFree($0) && $0.row?.slot == owner }
        if own.count < Self.orderQuota, let free = emptier.first(where: isFree) {
            return free.row == nil ? free : try evictOrder([free])
        }
        if own.count >= Self.orderQuota { return try evictOrder(own) }
        var counts: [Int: Int] = [:]
        for place in places { counts[place.row?.slot ?? owner, default: 0] += 1 }
        guard let victim = counts.max(by: { $0.value < $1.value })?.key else { throw .damaged }
        return try evictOrder(places.filter { $0.row?.slot == victim })
    }

    private mutating func evictOrder(_ places: [OrderSlot]) throws(ReplayWindowError) -> OrderSlot {
        var earliest: (place: OrderSlot, row: OrderRow)?
        for place in places {
            guard let row = place.row, row.sentAt < earliest?.row.sentAt ?? .max else { continue }
            earliest = (place, row)
        }
        guard let (place, row) = earliest else { throw .damaged }
        var sender = try self.row(row.slot)
        sender.orderFloor = max(sender.orderFloor, row.sentAt)
        setRow(row.slot, sender)
        return place
    }
}
