internal import Envelope

/// Standing of the relays that share a store, by which each decides which shards it wants.
package struct ShardSurvey: Equatable, Sendable {
    /// Without an owner, or with an ended lease.
    package let free: ShardSet
    /// Relays that live, this one among them.
    package let relayCount: Int

    package init(free: ShardSet, relayCount: Int) {
        self.free = free
        self.relayCount = relayCount
    }

    /// Shards that each relay may own: all shards have an owner when each relay owns as many.
    package var share: Int { (Shard.count + max(1, relayCount) - 1) / max(1, relayCount) }

    /// Free ones of `some` that a relay takes, up to its share. Relays begin at different ones, so that they seldom want
    /// the same.
    package func wanted(by relay: RelayID, owning owned: ShardSet, of some: ShardSet = .all) -> ShardSet {
        let free = free.intersection(some)
        let start = Int(relay.rawRepresentation[0])
        let order = (0..<Shard.count).map { Shard.all[(start + $0) % Shard.count] }
        return ShardSet(order.filter(free.contains).prefix(max(0, share - owned.count)))
    }

    /// Shards beyond the share, which a relay gives back.
    package func surplus(of owned: ShardSet) -> ShardSet {
        ShardSet(owned.shards.suffix(max(0, owned.count - share)))
    }
}
