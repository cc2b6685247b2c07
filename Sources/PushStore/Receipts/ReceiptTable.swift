package import Envelope

/// Receipts that entries expect.
package protocol ReceiptTable: Sendable {
    /// Redeems capabilities: at first use, the newest entry with the hash becomes `delivered` and its fallback is
    /// cancelled, atomically. While it exists, no other entry gets that receipt.
    ///
    /// Entries never sent, dead, expired or purged are `.unknown`, which uses nothing up and tells strangers nothing.
    ///
    /// - Parameter hashes: 32 bytes each; untrusted.
    /// - Returns: one each, in order.
    /// - Throws: `.full`, `.overloaded`, and disk errors.
    func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption]
}
