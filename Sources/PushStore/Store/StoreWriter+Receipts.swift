internal import Envelope

extension StoreWriter {
    func redeem(_ claims: [ReceiptClaim], now: Timestamp) throws(StoreError) -> [Redemption] {
        var redemptions: [Redemption] = []
        for claim in claims { redemptions.append(try redeem(claim, now: now)) }
        return redemptions
    }

    private func redeem(_ claim: ReceiptClaim, now: Timestamp) throws(StoreError) -> Redemption {
        // It may be purged, or its hash moved to a replay.
        guard try isWaiting(claim.entry, for: claim.hash), let id = EntryID(value: claim.entry),
            let standing = try standing(id)
        else { return .unknown }
        switch try deliver(standing, at: now) {
        case .recorded: return try entry(id.value).map { .received($0) } ?? .unknown
        case .repeated: return .repeated
        case .implausible, .unknown: return .unknown
        }
    }

    /// - Returns: nil for none or a damaged one.
    func entry(_ id: Int64) throws(StoreError) -> OutboxEntry? {
        let found = try sql("SELECT \(EntryRow.columns) FROM entry WHERE id = ?").first([.integer(id)]) {
            [tenants] row throws(StoreError) in
            try EntryRow(row, tenants)?.entry
        }
        return found ?? nil
    }
}
