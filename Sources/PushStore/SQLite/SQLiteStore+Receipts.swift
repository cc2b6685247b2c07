package import Envelope

extension SQLiteStore {
    /// Uses capabilities up: the first time, the newest entry with their hash becomes `delivered` and its fallback is called
    /// off, in one step. While it is there no other entry with that hash gets a receipt.
    ///
    /// An entry that was certainly never sent, or that is dead or expired, is `.unknown` here: it uses nothing up and tells a
    /// stranger nothing. So is what was purged with its entry.
    ///
    /// - Parameters:
    ///   - hashes: 32 bytes each, as `NewEntry.receiptHash` had them; from strangers.
    ///   - now: when they came.
    /// - Returns: one for each, in their order. On return it is on the disk.
    /// - Throws: `.full`, `.overloaded`, and what a disk does.
    package func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption] {
        // Anybody may guess: what is nothing costs the writer nothing, and others read in between.
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

    /// So many capabilities are looked for in a row.
    private static var lookCountMax: Int { 64 }
}
