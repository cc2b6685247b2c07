package import Envelope
internal import Platform

extension SQLiteStore: HookQueue {
    package func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool] {
        for report in reports where !NewHook.detailByteCounts.contains(report.detail.count) {
            throw .byteCount(field: .hookDetail, of: NewHook.detailByteCounts)
        }
        // What devices ask for can be asked again; that a fallback was sent cannot be sent again.
        let canBeRefused = reports.contains { $0.kind == .resendRequested }
        return try await writer.perform(weight: reports.count, canBeRefused: canBeRefused) {
            writer throws(StoreError) in
            try writer.report(reports, now: now)
        }
    }

    package func takeHooks(_ room: ClaimRoom, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook]
    {
        let turn = nextTurn()
        let ids = try await reader.perform { reader throws(StoreError) in
            try reader.dueHooks(room, now: now, turn: turn)
        }
        guard !ids.isEmpty else { return [] }
        return try await writer.perform(weight: ids.count) { writer throws(StoreError) in
            try writer.leaseHooks(ids, now: now, until: leasedUntil)
        }
    }

    package func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError) {
        try await writer.perform(weight: outcomes.count) { writer throws(StoreError) in
            try writer.finishHooks(outcomes)
        }
    }

    package func nextHook(_ room: ClaimRoom) async throws(StoreError) -> Timestamp? {
        try await reader.perform { reader throws(StoreError) in try reader.nextHook(room) }
    }

    /// Another at every call: whose turn it is first.
    func nextTurn() -> Int {
        turns.withLock { turn in
            turn = (turn + 1) % (1 << 20)
            return turn
        }
    }

    package func hookCounts() async throws(StoreError) -> [HookCount] {
        try await reader.perform { reader throws(StoreError) in try reader.hookCounts() }
    }
}
