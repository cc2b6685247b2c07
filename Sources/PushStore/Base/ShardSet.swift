package struct ShardSet: Hashable, Sendable {
    package static let all = ShardSet(bits: .max)
    package static let none = ShardSet(bits: 0)

    /// Bit n is shard n.
    package private(set) var bits: UInt64

    package init(_ shards: some Sequence<Shard>) {
        bits = shards.reduce(0) { $0 | 1 << UInt64($1.index) }
    }

    private init(bits: UInt64) { self.bits = bits }

    package var isEmpty: Bool { bits == 0 }
    package var count: Int { bits.nonzeroBitCount }
    package var shards: [Shard] { Shard.all.filter(contains) }

    package func contains(_ shard: Shard) -> Bool { bits >> UInt64(shard.index) & 1 == 1 }

    package mutating func insert(_ shard: Shard) { bits |= 1 << UInt64(shard.index) }

    package mutating func remove(_ shard: Shard) { bits &= ~(1 << UInt64(shard.index)) }

    package func intersection(_ other: ShardSet) -> ShardSet { ShardSet(bits: bits & other.bits) }

    package func subtracting(_ other: ShardSet) -> ShardSet { ShardSet(bits: bits & ~other.bits) }
}
