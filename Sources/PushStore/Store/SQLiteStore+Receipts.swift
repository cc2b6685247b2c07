package import Envelope

extension SQLiteStore: ReceiptTable {
    package func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption] {
        // Guesses cost the writer nothing, and other reads run in between.
        var findings: [ReceiptFinding] = []
        for start in stride(from: 0, to: hashes.count, by: Self.lookCountMax) {
            let part = Array(hashes[start..<min(start + Self.lookCountMax, hashes.count)])
            findings += try await read { reader throws(StoreError) in try reader.claims(part) }
        }
        var claims: [ReceiptClaim] = []
        for case .claim(let claim) in findings { claims.append(claim) }
        var results: ArraySlice<Redemption> = []
        if !claims.isEmpty {
            results = try await write(weight: claims.count, canBeRefused: true) {
                [claims] writer throws(StoreError) in
                try writer.redeem(claims, now: now)
            }[...]
        }
        return findings.map { finding in
            if case .settled(let redemption) = finding { return redemption }
            return results.popFirst() ?? .unknown
        }
    }

    private static var lookCountMax: Int { 64 }
}
