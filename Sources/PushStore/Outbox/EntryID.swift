/// The store's own name for one notification to one device. Later ones are greater, and none is given out twice.
package struct EntryID: Hashable, Sendable {
    /// 55 bits that grow, then 8 bits for the shard. Positive.
    package let value: Int64

    package var shard: Shard { Shard(index: Int(value & 0xFF)) ?? Shard.all[0] }

    /// - Returns: nil for what no store gave out.
    package init?(value: Int64) {
        guard value > 0, Shard(index: Int(value & 0xFF)) != nil else { return nil }
        self.value = value
    }

    /// - Parameters:
    ///   - sequence: 1 ..< 2^55.
    ///   - shard: that of its device.
    init(sequence: Int64, shard: Shard) {
        precondition(sequence > 0 && sequence < 1 << 55)
        value = sequence << 8 | Int64(shard.index)
    }

    var sequence: Int64 { value >> 8 }
}

/// Gives out sequence numbers: by the clock, and greater than all before, so that neither a clock that goes back nor a file
/// that was restored from a backup makes two entries have one id.
struct EntrySequence {
    /// So many in a millisecond before it runs ahead of the clock.
    private static let countPerMillisecond: Int64 = 1 << 13
    /// So far numbers may run ahead of the clock and still tell the time.
    private static let slack: Int64 = 1_000 * countPerMillisecond
    private(set) var last: Int64

    init(last: Int64) { self.last = last }

    /// The next number; `milliseconds` are those since 1970.
    mutating func next(milliseconds: UInt64) -> Int64 {
        last = max(last + 1, Self.clock(milliseconds))
        return last
    }

    /// Whether a number that is given out now would not tell the time.
    func isAhead(milliseconds: UInt64) -> Bool { last > Self.clock(milliseconds) + Self.slack }

    /// - Returns: no number of before that time is greater, where none ran ahead of the clock.
    static func last(before milliseconds: UInt64) -> Int64 { clock(milliseconds) + slack }

    /// - Returns: no number that is given out from that time on is less, where nobody sets the clock back.
    static func first(at milliseconds: UInt64) -> Int64 { clock(milliseconds) }

    /// A clock beyond the year 2109 does not count any more; the numbers go on one by one.
    private static func clock(_ milliseconds: UInt64) -> Int64 {
        Int64(min(milliseconds, (1 << 41) - 1)) * countPerMillisecond
    }
}
