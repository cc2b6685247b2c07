package import Envelope

extension SQLiteStore: ReceiptBook {
    package func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption] {
        throw .closed
    }

    package func nextFallback() async throws(StoreError) -> Timestamp? { nil }

    package func claimFallbacks(limit: Int, now: Timestamp) async throws(StoreError) -> [OutboxEntry] { [] }
}
