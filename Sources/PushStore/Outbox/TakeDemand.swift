package import Envelope

/// What a dispatcher wants next.
package struct TakeDemand: Sendable {
    package let lane: Lane
    package let shards: ShardSet
    /// At most so many, of all tenants together.
    package let limit: Int
    /// At most so many of them have been tried before, so that a storm of repetitions never holds up what is fresh.
    package let retryLimit: Int
    /// Tenants that get nothing now: their quota is used up, or their credential is suspended.
    package let excluding: Set<TenantID>
    package let now: Timestamp
    /// When the lease ends by itself, unless it was marked.
    package let leasedUntil: Timestamp

    package init(
        lane: Lane,
        shards: ShardSet = .all,
        limit: Int,
        retryLimit: Int? = nil,
        excluding: Set<TenantID> = [],
        now: Timestamp,
        leasedUntil: Timestamp
    ) {
        self.lane = lane
        self.shards = shards
        self.limit = max(0, limit)
        self.retryLimit = min(retryLimit ?? limit, max(0, limit))
        self.excluding = excluding
        self.now = now
        self.leasedUntil = leasedUntil
    }
}
