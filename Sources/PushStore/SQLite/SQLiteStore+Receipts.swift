package import Envelope

extension SQLiteStore: ReceiptBook {
    package func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption] {
        // Anybody may guess: what is nothing costs the writer nothing.
        let known = try await reader.perform { reader throws(StoreError) in try reader.redemptions(hashes) }
        let good = zip(hashes, known).filter { $0.1 == nil }.map(\.0)
        guard !good.isEmpty else { return known.map { $0 ?? .unknown } }
        let results = try await writer.perform(weight: good.count, canBeRefused: true) { writer throws(StoreError) in
            try writer.redeem(good, now: now)
        }
        var rest = results[...]
        return known.map { $0 ?? rest.popFirst() ?? .unknown }
    }

    package func nextFallback() async throws(StoreError) -> Timestamp? {
        try await reader.perform { reader throws(StoreError) in try reader.nextFallback() }
    }

    package func claimFallbacks(limit: Int, now: Timestamp) async throws(StoreError) -> [OutboxEntry] {
        guard limit > 0 else { return [] }
        let limit = Page<OutboxEntry>.clamped(limit)
        // Without the writer where nothing is due, which is most of the times that it is asked.
        guard let next = try await nextFallback(), next <= now else { return [] }
        return try await writer.perform(weight: limit) { writer throws(StoreError) in
            try writer.claimFallbacks(limit: limit, now: now)
        }
    }
}
