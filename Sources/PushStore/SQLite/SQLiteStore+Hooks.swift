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

    package func takeHooks(limit: Int, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook] {
        guard limit > 0 else { return [] }
        let limit = Page<Hook>.clamped(limit)
        let turn = turns.withLock { turn in
            turn = (turn + 1) % (1 << 20)
            return turn
        }
        let ids = try await reader.perform { reader throws(StoreError) in
            try reader.dueHooks(limit: limit, now: now, turn: turn)
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

    package func nextHook() async throws(StoreError) -> Timestamp? {
        try await reader.perform { reader throws(StoreError) in try reader.nextHook() }
    }

    package func hookCounts() async throws(StoreError) -> [HookCount] {
        try await reader.perform { reader throws(StoreError) in try reader.hookCounts() }
    }
}
