/// Shards of an earlier owner, and what it had left.
package struct ShardTakeover: Sendable {
    package let leases: ShardLeases
    /// Entries that were in flight.
    package let interruptedCount: Int
    /// Notifications whose fallbacks were being sent; they may have arrived and do not fire again.
    package let uncertainFallbacks: [OutboxEntry]

    package init(leases: ShardLeases, interruptedCount: Int, uncertainFallbacks: [OutboxEntry]) {
        self.leases = leases
        self.interruptedCount = interruptedCount
        self.uncertainFallbacks = uncertainFallbacks
    }
}
