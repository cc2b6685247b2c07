package import Envelope

/// Dispatcher's request for entries.
package struct TakeDemand: Sendable {
    package let lane: Lane
    package let shards: ShardSet
    /// Over all tenants.
    package let limit: Int
    /// Bound of retries among them, so that a retry storm never delays fresh entries.
    package let retryLimit: Int
    /// Tenants with an exhausted quota or a suspended credential.
    package let excluding: Set<TenantID>
    package let now: Timestamp
    /// End of an unmarked lease.
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
