package struct ShardSet: Hashable, Sendable {
    package static let all = ShardSet(bits: .max)

    /// Bit n is shard n.
    private let bits: UInt64

    package init(_ shards: some Sequence<Shard>) {
        bits = shards.reduce(0) { $0 | 1 << UInt64($1.index) }
    }

    private init(bits: UInt64) { self.bits = bits }

    package func contains(_ shard: Shard) -> Bool { bits >> UInt64(shard.index) & 1 == 1 }
}
