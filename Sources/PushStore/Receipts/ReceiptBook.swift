package import Envelope

/// Which receipts are waited for, and which fallbacks. Every capability is good once, and every fallback fires once.
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
    /// - Returns: since or until when the first fallback is due; nil when none is waited for.
    func nextFallback() async throws(StoreError) -> Timestamp?

    /// Writes down that these fire now. A fallback that was claimed when the process died does not fire again.
    ///
    /// - Parameters:
    ///   - limit: at most so many, and at most 1,000; the longest due first.
    ///   - now: what is due by now.
    /// - Returns: the entries whose fallback is to be sent, all of them `accepted`. It is on the disk that they were claimed.
    /// - Throws: `.full`, and what a disk does: they are due then as before.
    func claimFallbacks(limit: Int, now: Timestamp) async throws(StoreError) -> [OutboxEntry]
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
