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

    package func nextFallback(_ room: ClaimRoom) async throws(StoreError) -> Timestamp? {
        try await reader.perform { reader throws(StoreError) in try reader.nextFallback(room) }
    }

    package func claimFallbacks(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] {
        let turn = nextTurn()
        let ids = try await reader.perform { reader throws(StoreError) in
            try reader.dueFallbacks(room, now: now, turn: turn)
        }
        guard !ids.isEmpty else { return [] }
        return try await writer.perform(weight: ids.count) { writer throws(StoreError) in
            try writer.claimFallbacks(ids, now: now)
        }
    }

    package func beginFallback(_ id: EntryID, completion: @escaping StoreCompletion<Bool>) {
        writer.submit({ writer throws(StoreError) in try writer.beginFallback(id.value) }, completion: completion)
    }

    package func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) async throws(StoreError) {
        try await writer.perform(weight: outcomes.count) { writer throws(StoreError) in
            try writer.finishFallbacks(outcomes, now: now)
        }
    }
}
