package import Envelope
package import PushStore

/// Shorthand for tests: one read or write each, over every tenant, up to a limit.
extension SQLiteStore {
    package func nextFallback(_ room: ClaimRoom = .unlimited) async throws(StoreError) -> Timestamp? {
        try await read { reader throws(StoreError) in try reader.nextFallback(room) }
    }

    package func claimFallbacks(limit: Int, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] {
        try await claimFallbacks(ClaimRoom(whole: limit, ofEach: .max), now: now)
    }

    package func beginFallback(_ id: EntryID) async throws(StoreError) -> Bool {
        try await write { writer throws(StoreError) in try writer.beginFallback(id) }
    }

    package func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) async throws(StoreError) {
        try await write { writer throws(StoreError) in try writer.finishFallbacks(outcomes, now: now) }
    }

    /// Ends a fallback as sent.
    package func endFallback(_ id: EntryID, telling kind: HookKind? = nil, now: Timestamp) async throws(StoreError) {
        try await finishFallbacks([FallbackOutcome(id: id, verdict: .ended(telling: kind))], now: now)
    }

    package func nextHook(_ room: ClaimRoom = .unlimited) async throws(StoreError) -> Timestamp? {
        try await read { reader throws(StoreError) in try reader.nextHook(room) }
    }

    package func takeHooks(limit: Int, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook] {
        try await takeHooks(ClaimRoom(whole: limit, ofEach: .max), now: now, leasedUntil: leasedUntil)
    }

    package func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError) {
        try await write { writer throws(StoreError) in try writer.finishHooks(outcomes) }
    }

    package func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool] {
        try await write { writer throws(StoreError) in try writer.report(reports, now: now) }
    }

    package func hookCounts() async throws(StoreError) -> [HookCount] {
        try await read { reader throws(StoreError) in try reader.hookCounts() }
    }

    package func note(_ name: String) async throws(StoreError) -> [UInt8]? {
        try await read { reader throws(StoreError) in try reader.note(name) }
    }

    package func setNote(_ name: String, to bytes: [UInt8]) async throws(StoreError) {
        try await write { writer throws(StoreError) in try writer.setNote(name, to: bytes) }
    }
}
