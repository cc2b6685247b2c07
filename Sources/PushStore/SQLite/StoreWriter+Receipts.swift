internal import Envelope

extension StoreWriter {
    func redeem(_ claims: [ReceiptClaim], now: Timestamp) throws(StoreError) -> [Redemption] {
        var redemptions: [Redemption] = []
        for claim in claims { redemptions.append(try redeem(claim, now: now)) }
        return redemptions
    }

    private func redeem(_ claim: ReceiptClaim, now: Timestamp) throws(StoreError) -> Redemption {
        // It may have been purged since, or have given its hash to a copy.
        guard try isWaiting(claim.entry, for: claim.hash), let id = EntryID(value: claim.entry),
            let standing = try standing(id)
        else { return .unknown }
        switch try deliver(standing, at: now) {
        case .recorded: return try entry(id.value).map { .received($0) } ?? .unknown
        case .repeated: return .repeated
        case .implausible, .unknown: return .unknown
        }
    }

    /// - Returns: what is due and whole; what is damaged is not due any more either.
    func claimFallbacks(limit: Int, now: Timestamp) throws(StoreError) -> [OutboxEntry] {
        let ids = try sql(
            """
            SELECT entry FROM watch WHERE fallback_due IS NOT NULL AND fallback_due <= ?
            ORDER BY fallback_due, entry LIMIT ?
            """
        ).all([now.column, .integer(Int64(limit))]) { $0.integer(0) }
        var claimed: [OutboxEntry] = []
        for id in ids {
            try sql("UPDATE watch SET fallback_due = NULL WHERE entry = ?").run([.integer(id)])
            // Only what APNs has, and nobody has answered for.
            if let entry = try entry(id), entry.state == .accepted { claimed.append(entry) }
        }
        return claimed
    }

    /// - Returns: nil for none, and for one that is damaged; `id` is as it is in the file.
    func entry(_ id: Int64) throws(StoreError) -> OutboxEntry? {
        let found = try sql("SELECT \(EntryRow.columns) FROM entry WHERE id = ?").first([.integer(id)]) {
            [tenants] row throws(StoreError) in
            try EntryRow(row, tenants)?.entry
        }
        return found ?? nil
    }
}
