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

/// Gives out sequence numbers: by the clock, and greater than all before.
///
/// The low 8 bits are an opening's own, drawn at random. A restored file whose clock was set back gives out numbers of a
/// time when others were given out that it does not know; in 255 of 256 openings none of them is equal.
struct EntrySequence {
    /// Of a number's bits, the incarnation's.
    private static let incarnationBitCount: Int64 = 8
    /// Numbers of a millisecond, of which every 256th is an opening's: 32 before it runs ahead of the clock.
    private static let countPerMillisecond: Int64 = 1 << 13
    /// So far numbers may run ahead of the clock and still tell the time.
    private static let slack: Int64 = 1_000 * countPerMillisecond
    private let incarnation: Int64
    private(set) var last: Int64

    init(last: Int64, incarnation: UInt8) {
        self.last = last
        self.incarnation = Int64(incarnation)
    }

    /// The next number; `milliseconds` are those since 1970.
    mutating func next(milliseconds: UInt64) -> Int64 {
        let step = (last >> Self.incarnationBitCount + 1) << Self.incarnationBitCount
        last = max(step, Self.clock(milliseconds)) | incarnation
        return last
    }

    /// Whether a number that is given out now would not tell the time.
    func isAhead(milliseconds: UInt64) -> Bool { last > Self.clock(milliseconds) + Self.slack }

    /// - Returns: no number of before that time is greater, where none ran ahead of the clock.
    static func last(before milliseconds: UInt64) -> Int64 { clock(milliseconds) + slack }

    /// - Returns: no number that is given out from that time on is less, where nobody sets the clock back.
    static func first(at milliseconds: UInt64) -> Int64 { clock(milliseconds) }

    /// A clock beyond the year 2039 does not count any more; the numbers go on one by one.
    private static func clock(_ milliseconds: UInt64) -> Int64 {
        Int64(min(milliseconds, (1 << 41) - 1)) * countPerMillisecond
    }
}
