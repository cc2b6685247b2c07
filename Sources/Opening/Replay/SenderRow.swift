/// One sender: 48 bytes.
///
///     word 0, 1  id: a salted digest of its key
///     word 2     floor (48 bits) | count of live ids (16)
///     word 3     floor after the next eviction (48) | number of ids that evicts (16)
///     word 4     end of the row's relevance (48) | used or empty (16)
///     word 5     order floor (48) | check (16)
struct SenderRow: Equatable {
    static let wordCount = 6
    static let countMax = WindowLayout.senderPages.count * WindowLayout.rowsPerPage
    private static let used: UInt64 = 0xA5C3
    private static let empty: UInt64 = 0x3C5A
    private static let low16: UInt64 = 0xFFFF

    /// Web Push records (protocol v1, rule 38). Their "times" are arrival numbers.
    static let webPushSlot = 0
    /// Shared by senders that found every row taken, with one quota and one floor.
    static let crowdSlot = 1

    var idHigh: UInt64
    var idLow: UInt64
    /// Messages that expire at or before this are evicted or too old (protocol v1, rule 24). Never falls.
    var floor: UInt64 = 0
    /// Live ids; never too low, and recounted by sweeps.
    var count = 0
    /// 0 until swept.
    var nextFloor: UInt64 = 0
    var nextCount = 0
    /// The latest expiry of its ids and end of its changes.
    var expiresMax: UInt64 = 0
    /// Unknown changes sent at or before this may have been superseded. Never falls.
    var orderFloor: UInt64 = 0

    init(idHigh: UInt64, idLow: UInt64) {
        self.idHigh = idHigh
        self.idLow = idLow
    }

    var words: [UInt64] {
        // Clamped: an overflow would raise the floor.
        let words = [
            idHigh, idLow, floor << 16 | min(UInt64(count), Self.low16),
            nextFloor << 16 | min(UInt64(nextCount), Self.low16),
            expiresMax << 16 | Self.used,
        ]
        return words + [orderFloor << 16 | Self.check(words[...], orderFloor)]
    }

    static let emptyWords: [UInt64] = [0, 0, 0, 0, empty, 0]

    private static func check(_ words: ArraySlice<UInt64>, _ orderFloor: UInt64) -> UInt64 {
        WindowCheck.sum(words + [orderFloor], modulo: WindowCheck.prime16)
    }

    static func read(_ words: [UInt64], at index: Int) throws(ReplayWindowError) -> SenderRow? {
        let first = index * wordCount
        let mark = words[first + 4] & low16
        guard mark == used else {
            guard mark == empty else { throw .damaged }
            return nil
        }
        let orderFloor = words[first + 5] >> 16
        guard words[first + 5] & low16 == check(words[first..<first + 5], orderFloor) else { throw .damaged }
        var row = SenderRow(idHigh: words[first], idLow: words[first + 1])
        row.floor = words[first + 2] >> 16
        row.count = Int(words[first + 2] & low16)
        row.nextFloor = words[first + 3] >> 16
        row.nextCount = Int(words[first + 3] & low16)
        row.expiresMax = words[first + 4] >> 16
        row.orderFloor = orderFloor
        return row
    }

    /// Forgets messages that expire by `newFloor` (milliseconds), at least `evictedCount` ids.
    mutating func evict(upTo newFloor: UInt64, evictedCount: Int) {
        floor = max(floor, newFloor)
        count = max(0, count - evictedCount)
        if nextFloor <= floor {
            (nextFloor, nextCount) = (0, 0)
        } else {
            nextCount = max(0, nextCount - evictedCount)
        }
    }
}
