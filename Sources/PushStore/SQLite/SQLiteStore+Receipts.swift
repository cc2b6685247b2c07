package import Envelope

extension SQLiteStore: ReceiptBook {
    package func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption] {
        // Anybody may guess: what is nothing costs the writer nothing, and others read in between.
        var findings: [ReceiptFinding] = []
        for start in stride(from: 0, to: hashes.count, by: Self.lookCountMax) {
            let part = Array(hashes[start..<min(start + Self.lookCountMax, hashes.count)])
            findings += try await reader.perform { reader throws(StoreError) in try reader.claims(part) }
        }
        var claims: [ReceiptClaim] = []
        for case .claim(let claim) in findings { claims.append(claim) }
        var results: ArraySlice<Redemption> = []
        if !claims.isEmpty {
            results = try await writer.perform(weight: claims.count, canBeRefused: true) {
                [claims] writer throws(StoreError) in
                try writer.redeem(claims, now: now)
            }[...]
        }
        return findings.map { finding in
            if case .settled(let redemption) = finding { return redemption }
            return results.popFirst() ?? .unknown
        }
    }

    /// So many capabilities are looked for in a row.
    private static var lookCountMax: Int { 64 }

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
