import Platform
package import PushStore

/// This relay's leases on shards. Work begins only before a lease's deadline, on a clock that cannot be set. From any
/// thread.
package final class ShardTenure: Sendable {
    private struct State {
        var leases: ShardLeases
        /// By shard, in milliseconds of `clock`.
        var deadlines: [Int64]
        /// Bound of all deadlines: no scan before it.
        var firstDeadline: Int64
        /// Shards in which no work begins, because another relay is to have them.
        var retired = ShardSet.none
    }

    package let relay: RelayID
    package let clock: @Sendable () -> Int64
    private let state: Guarded<State>

    /// - Parameters:
    ///   - deadline: of all leases.
    ///   - clock: milliseconds.
    package init(
        _ leases: ShardLeases,
        until deadline: Int64 = .max,
        clock: @escaping @Sendable () -> Int64 = { Int64(clamping: Uptime.ofMachine.milliseconds) }
    ) {
        self.clock = clock
        relay = leases.relay
        let deadlines = [Int64](repeating: deadline, count: Shard.count)
        state = Guarded(State(leases: leases, deadlines: deadlines, firstDeadline: deadline))
    }

    /// Leases under which work may begin.
    package var live: ShardLeases {
        let now = clock()
        return state.withLock { state in
            guard now >= state.firstDeadline || !state.retired.isEmpty else { return state.leases }
            return state.leases.only(
                ShardSet(Shard.all.filter { now < state.deadlines[$0.index] && !state.retired.contains($0) })
            )
        }
    }

    /// With ended ones, which a renewal may bring back.
    package var all: ShardLeases { state.withLock { $0.leases } }

    /// True for the owner of all shards.
    package var isAlone: Bool { state.withLock { $0.leases.shards == .all } }

    package func isLive(_ lease: ShardLease) -> Bool {
        let now = clock()
        return state.withLock { state in
            state.leases[lease.shard] == lease && now < state.deadlines[lease.shard.index]
                && !state.retired.contains(lease.shard)
        }
    }

    /// - Parameter deadline: counted from before the store was asked.
    package func didTake(_ taken: ShardLeases, until deadline: Int64) {
        state.withLock { state in
            for lease in taken.all {
                state.leases.add(lease)
                state.deadlines[lease.shard.index] = deadline
            }
            state.firstDeadline = min(state.firstDeadline, deadline)
        }
    }

    /// Ignores leases that are lost meanwhile.
    package func didRenew(_ renewed: ShardLeases, until deadline: Int64) {
        state.withLock { state in
            for lease in renewed.all where state.leases[lease.shard] == lease {
                state.deadlines[lease.shard.index] = deadline
            }
            state.firstDeadline = state.leases.all.map { state.deadlines[$0.shard.index] }.min() ?? .max
        }
    }

    package func didLose(_ lease: ShardLease) {
        state.withLock { state in
            state.leases.remove(lease)
            state.retired.remove(lease.shard)
        }
    }

    package var retired: ShardSet { state.withLock { $0.retired } }

    /// Begins no more work in these shards, and works on in those retired before.
    package func retire(_ shards: ShardSet) { state.withLock { $0.retired = shards } }
}
