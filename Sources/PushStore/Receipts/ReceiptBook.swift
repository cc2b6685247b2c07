package import Envelope

/// Which receipts are waited for, and which fallbacks. Every capability is good once, and every fallback fires once.
///
/// A fallback is armed by its entry's acceptance, then `claimed`, then `sending`, each of them on the disk. After a crash what
/// was armed or claimed is armed. What was sending has ended, as `HookKind.fallbackUncertain`: it may have been sent.
package protocol ReceiptBook: Sendable {
    /// Uses capabilities up: the first time, the newest entry with their hash becomes `delivered` and its fallback is called
    /// off, in one step. While it is there no other entry with that hash gets a receipt.
    ///
    /// What `DurableOutbox.record` calls implausible (an entry that was certainly never sent, or that is dead or expired) is
    /// `.unknown` here, uses nothing up and tells a stranger nothing. So is what was purged with its entry.
    ///
    /// - Parameters:
    ///   - hashes: 32 bytes each, as `NewEntry.receiptHash` had them; from strangers.
    ///   - now: when they came.
    /// - Returns: one for each, in their order. On return it is on the disk.
    /// - Throws: `.full`, `.overloaded`, and what a disk does.
    func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption]

    /// A fallback is due `NewEntry.fallbackAfter` after its entry became `accepted`; one that became anything else has none.
    ///
    /// - Parameter room: tenants without any are passed over.
    /// - Returns: since or until when the first fallback is due; nil when none is armed.
    /// - Throws: what a disk does.
    func nextFallback(_ room: ClaimRoom) async throws(StoreError) -> Timestamp?

    /// Claims what is due: each tenant's as much as any other's, the longest due first.
    ///
    /// - Parameters:
    ///   - room: at most so many, and at most 1,000.
    ///   - now: what is due by now.
    /// - Returns: fallbacks of entries that are all `accepted`. It is on the disk that they were claimed.
    /// - Throws: `.full`, and what a disk does: they are due then as before.
    func claimFallbacks(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [ClaimedFallback]

    /// Writes down that a claimed fallback is being sent. Not a byte of it goes out before that is on the disk.
    ///
    /// - Parameters:
    ///   - id: its entry.
    ///   - completion: hears false for what is not claimed any more: a receipt has called it off. Called on the thread that
    ///     writes; what begins while it writes shares the next transaction.
    func beginFallback(_ id: EntryID, completion: @escaping StoreCompletion<Bool>)

    /// Writes down what became of claimed fallbacks, sent or not; those that are not there any more are passed over.
    func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) async throws(StoreError)
}

/// What a capability was good for.
package enum Redemption: Equatable, Sendable {
    /// The first time. The entry as it is now.
    case received(OutboxEntry)
    /// It was used before; nothing changes.
    case repeated
    /// Nobody waits for it.
    case unknown
}
