package import Envelope
package import PushStore

/// Calls as tests write them: of every tenant's as much as there is, up to a limit.
extension ReceiptBook {
    package func nextFallback() async throws(StoreError) -> Timestamp? { try await nextFallback(.unlimited) }

    package func claimFallbacks(limit: Int, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] {
        try await claimFallbacks(ClaimRoom(whole: limit, ofEach: .max), now: now)
    }

    package func beginFallback(_ id: EntryID) async throws(StoreError) -> Bool {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Bool, StoreError>, Never>) in
            beginFallback(id) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// It was sent.
    package func endFallback(_ id: EntryID, telling kind: HookKind? = nil, now: Timestamp) async throws(StoreError) {
        try await finishFallbacks([FallbackOutcome(id: id, verdict: .ended(telling: kind))], now: now)
    }
}

extension HookQueue {
    package func nextHook() async throws(StoreError) -> Timestamp? { try await nextHook(.unlimited) }

    package func takeHooks(limit: Int, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook] {
        try await takeHooks(ClaimRoom(whole: limit, ofEach: .max), now: now, leasedUntil: leasedUntil)
    }
}
