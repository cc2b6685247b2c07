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
    private(set) var last: Int64

    init(last: Int64) { self.last = last }

    /// The next number; `milliseconds` are those since 1970.
    mutating func next(milliseconds: UInt64) -> Int64 {
        // A clock beyond the year 2109 does not count any more; the numbers go on one by one.
        let clock = Int64(min(milliseconds, (1 << 41) - 1)) * Self.countPerMillisecond
        last = max(last + 1, clock)
        return last
    }
}
