internal import Envelope

extension StoreReader {
    /// Answers to most of what strangers send, without the writer.
    ///
    /// - Returns: nil for those that may be good: the writer decides.
    func redemptions(_ hashes: [[UInt8]]) throws(StoreError) -> [Redemption?] {
        var redemptions: [Redemption?] = []
        for hash in hashes {
            let state = try sql(
                """
                SELECT state FROM watch INDEXED BY watch_receipt JOIN entry ON entry.id = watch.entry
                WHERE receipt_hash = ?
                """
            ).first([.bytes(hash)]) { $0.integer(0) }
            switch state.flatMap(EntryState.Code.init) {
            case .delivered: redemptions.append(.repeated)
            case .dead, .expired, nil: redemptions.append(.unknown)
            case .queued, .sending, .parked, .accepted: redemptions.append(nil)
            }
        }
        return redemptions
    }

    func nextFallback() throws(StoreError) -> Timestamp? {
        try sql("SELECT fallback_due FROM watch WHERE fallback_due IS NOT NULL ORDER BY fallback_due LIMIT 1").first([])
        { Timestamp(column: $0.integer(0)) }
    }
}
