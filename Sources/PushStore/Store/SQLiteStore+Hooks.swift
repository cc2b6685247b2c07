package import Envelope
internal import Platform

extension SQLiteStore: HookQueue {
    package func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool] {
        // Devices repeat refused requests.
        try await write(weight: reports.count, canBeRefused: true) { writer throws(StoreError) in
            try writer.report(reports, now: now)
        }
    }

    package func takeHooks(
        _ room: ClaimRoom,
        by owned: ShardLeases,
        now: Timestamp,
        leasedUntil: Timestamp
    ) async throws(StoreError) -> [Hook] {
        guard !owned.isEmpty else { return [] }
        let ids = try await read { [turn = nextTurn()] reader throws(StoreError) in
            try reader.dueHooks(room, of: owned.shards, now: now, turn: turn)
        }
        // Writes only after a finding.
        guard !ids.isEmpty else { return [] }
        return try await write(weight: ids.count) { writer throws(StoreError) in
            try writer.leaseHooks(ids, by: owned, now: now, until: leasedUntil)
        }
    }

    package func nextHook(_ room: ClaimRoom, of shards: ShardSet) async throws(StoreError) -> Timestamp? {
        try await read { reader throws(StoreError) in try reader.nextHook(room, of: shards) }
    }

    @discardableResult
    package func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError) -> Int {
        try await write(weight: outcomes.count) { writer throws(StoreError) in try writer.finishHooks(outcomes) }
    }

    package func hookCounts() async throws(StoreError) -> [HookCount] {
        try await read { reader throws(StoreError) in try reader.hookCounts() }
    }

    package func claimFallbacks(
        _ room: ClaimRoom,
        by owned: ShardLeases,
        now: Timestamp
    ) async throws(StoreError) -> [ClaimedFallback] {
        guard !owned.isEmpty else { return [] }
        let ids = try await read { [turn = nextTurn()] reader throws(StoreError) in
            try reader.dueFallbacks(room, of: owned.shards, now: now, turn: turn)
        }
        // Writes only after a finding.
        guard !ids.isEmpty else { return [] }
        return try await awaited { claim(ids, by: owned, now: now, completion: $0) }
    }

    func claim(
        _ ids: [Int64],
        by owned: ShardLeases,
        now: Timestamp,
        completion: @escaping StoreCompletion<[ClaimedFallback]>
    ) -> StoreCall {
        write(
            weight: ids.count,
            { writer throws(StoreError) in try writer.claimFallbacks(ids, by: owned, now: now) },
            late: { [self] claimed in
                let outcomes = claimed.map { FallbackOutcome($0, .givenBack(due: $0.due, tried: $0.tried)) }
                write({ writer throws(StoreError) in try writer.finishFallbacks(outcomes, now: now) }) { _ in }
            },
            completion: completion
        )
    }

    package func nextFallback(_ room: ClaimRoom, of shards: ShardSet) async throws(StoreError) -> Timestamp? {
        try await read { reader throws(StoreError) in try reader.nextFallback(room, of: shards) }
    }

    @discardableResult
    package func beginFallback(
        _ id: EntryID,
        _ lease: ShardLease,
        completion: @escaping StoreCompletion<Bool>
    ) -> StoreCall {
        write({ writer throws(StoreError) in try writer.beginFallback(id, lease) }, completion: completion)
    }

    @discardableResult
    package func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) async throws(StoreError) -> Int {
        try await write(weight: outcomes.count) { writer throws(StoreError) in
            try writer.finishFallbacks(outcomes, now: now)
        }
    }

    /// Rotates the tenant that is first.
    private func nextTurn() -> Int {
        turns.withLock { turn in
            turn = (turn + 1) % (1 << 20)
            return turn
        }
    }
}
