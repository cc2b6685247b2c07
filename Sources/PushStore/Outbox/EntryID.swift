/// Ids grow, and none is issued twice.
package struct EntryID: Hashable, Sendable {
    /// 55 bits of sequence, then 8 bits of shard. Positive.
    package let value: Int64

    package var shard: Shard { Shard(index: Int(value & 0xFF)) ?? Shard.all[0] }

    /// - Returns: nil for an impossible value.
    package init?(value: Int64) {
        guard value > 0, Shard(index: Int(value & 0xFF)) != nil else { return nil }
        self.value = value
    }

    /// - Parameter sequence: 1 ..< 2^55.
    package init(sequence: Int64, shard: Shard) {
        precondition(sequence > 0 && sequence < 1 << 55)
        value = sequence << 8 | Int64(shard.index)
    }

    package var sequence: Int64 { value >> 8 }
}

/// Issues numbers by the clock, always increasing. The low 8 bits are random for each opening: a restored file with its
/// clock set back, and without its `StoreFile.numbersEnd`, reissues numbers in one of 256 openings.
package struct EntrySequence {
    private static let incarnationBitCount: Int64 = 8
    /// Every 256th is an opening's: 32 in a millisecond before the sequence runs ahead of the clock.
    private static let countPerMillisecond: Int64 = 1 << 13
    /// Tolerated lead over the clock.
    private static let slack: Int64 = 1_000 * countPerMillisecond
    /// Ten minutes of numbers.
    static let lead: Int64 = 600_000 * countPerMillisecond
    private let incarnation: Int64
    package private(set) var last: Int64

    package init(last: Int64, incarnation: UInt8) {
        self.last = last
        self.incarnation = Int64(incarnation)
    }

    /// - Parameter milliseconds: since 1970.
    package mutating func next(milliseconds: UInt64) -> Int64 {
        let step = (last >> Self.incarnationBitCount + 1) << Self.incarnationBitCount
        last = max(step, Self.clock(milliseconds)) | incarnation
        return last
    }

    /// True if the next number would not tell the time.
    package func isAhead(milliseconds: UInt64) -> Bool { last > Self.clock(milliseconds) + Self.slack }

    /// Upper bound of numbers before a time, unless some ran ahead.
    package static func last(before milliseconds: UInt64) -> Int64 { clock(milliseconds) + slack }

    /// Lower bound of numbers from a time on, unless the clock is set back.
    package static func first(at milliseconds: UInt64) -> Int64 { clock(milliseconds) }

    /// Stops in the year 2039; then numbers grow one by one.
    private static func clock(_ milliseconds: UInt64) -> Int64 {
        Int64(min(milliseconds, (1 << 41) - 1)) * countPerMillisecond
    }
}
