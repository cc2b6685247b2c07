package import Envelope

/// Process of the relay, as an owner of shards.
package typealias RelayID = RandomID<RelayTag>
package enum RelayTag {}

/// Right to act on a shard's entries, until another relay takes the shard over.
///
/// Every write that acts on an entry names the lease under which its entry was taken, and is refused under an old one.
package struct ShardLease: Hashable, Sendable {
    package let shard: Shard
    /// Grows with each takeover, also over restarts.
    package let epoch: Int64

    package init(shard: Shard, epoch: Int64) {
        self.shard = shard
        self.epoch = epoch
    }
}

/// One relay's leases.
package struct ShardLeases: Equatable, Sendable {
    package let relay: RelayID
    package private(set) var shards = ShardSet.none
    /// By shard; 0 for one of another relay.
    private var epochs = [Int64](repeating: 0, count: Shard.count)

    package init(relay: RelayID) { self.relay = relay }

    package var isEmpty: Bool { shards.isEmpty }
    package var all: [ShardLease] { shards.shards.compactMap { self[$0] } }

    package subscript(_ shard: Shard) -> ShardLease? {
        shards.contains(shard) ? ShardLease(shard: shard, epoch: epochs[shard.index]) : nil
    }

    package mutating func add(_ lease: ShardLease) {
        shards.insert(lease.shard)
        epochs[lease.shard.index] = lease.epoch
    }

    /// Ignores a lease that a later one has replaced.
    package mutating func remove(_ lease: ShardLease) {
        guard self[lease.shard] == lease else { return }
        shards.remove(lease.shard)
        epochs[lease.shard.index] = 0
    }

    package func only(_ some: ShardSet) -> ShardLeases {
        guard !shards.subtracting(some).isEmpty else { return self }
        var rest = ShardLeases(relay: relay)
        for lease in all where some.contains(lease.shard) { rest.add(lease) }
        return rest
    }
}
