package import Envelope
internal import Platform

extension SQLiteStore {
    package func acquire(
        _ shards: ShardSet,
        for relay: RelayID,
        lasting term: Duration,
        now: Timestamp
    ) async throws(StoreError) -> ShardTakeover {
        let clock = settings.leaseClock
        let leases = try await write { writer throws(StoreError) in
            let time = clock()
            return try writer.shards.acquire(shards, for: relay, until: time + Self.milliseconds(term), now: time)
        }
        // The caller has no lease yet: what is in flight in these shards is an earlier owner's.
        var (count, last): (Int, Int64?) = (0, leases.isEmpty ? nil : .max)
        while let before = last {
            let step = try await write { writer throws(StoreError) in
                try writer.shards.require(leases)
                return try writer.recoverInterrupted(of: leases.shards, below: before, limit: 1_000, now: now)
            }
            count += step.recoveredCount
            last = step.lastID
        }
        let uncertain = try await write { writer throws(StoreError) in
            try writer.shards.require(leases)
            try writer.recoverHooks(of: leases.shards, now: now)
            return try writer.recoverFallbacks(of: leases.shards, now: now)
        }
        return ShardTakeover(leases: leases, interruptedCount: count, uncertainFallbacks: uncertain)
    }

    package func renew(_ leases: ShardLeases, lasting term: Duration) async throws(StoreError) -> ShardSet {
        let clock = settings.leaseClock
        return try await write { writer throws(StoreError) in
            try writer.shards.renew(leases, until: clock() + Self.milliseconds(term))
        }
    }

    /// The relays of one machine share nothing out: each wants all.
    package func survey(by relay: RelayID, lasting term: Duration) async throws(StoreError) -> ShardSurvey {
        let clock = settings.leaseClock
        return try await write { writer throws(StoreError) in
            ShardSurvey(free: writer.shards.free(now: clock()), relayCount: 1)
        }
    }

    package func giveBack(_ leases: ShardLeases) async throws(StoreError) {
        try await write { writer throws(StoreError) in try writer.shards.giveBack(leases) }
    }

    package func listen(as relay: RelayID, _ listener: (@Sendable (QueueHint) -> Void)?) {
        listeners.withLock { $0.set(listener, of: relay) }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }
}
