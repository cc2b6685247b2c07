internal import APNS
internal import Envelope
internal import Platform

extension StoreReader {
    /// Calls `visit` with the entries that may have a trace, by number, the newest first, each at most once, until it says
    /// that it needs no more.
    func entryNumbers(trace: [UInt8], visit: (Int64) throws(StoreError) -> Bool) throws(StoreError) {
        try entryNumbers(TracePair.hash(trace: trace), by: .trace, in: memories.traces, visit)
    }

    /// The same with those that may be for a device; `tenant` is its tenant's number.
    func entryNumbers(
        device: [UInt8],
        tenant: Int64,
        visit: (Int64) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try entryNumbers(TracePair.hash(device: device, tenant: tenant), by: .device, in: memories.deviceEntries, visit)
    }

    /// The same with those that may have an apns-id: first those of the time when it was made.
    func entryNumbers(apnsID: APNSID, visit: (Int64) throws(StoreError) -> Bool) throws(StoreError) {
        let likely = apnsID.made.map { EntrySequence.first(at: $0.milliseconds) << 8 }
        try entryNumbers(TracePair.hash(apnsID: apnsID.bytes), by: .apnsID, in: memories.apnsIDs, likely: likely, visit)
    }

    private func entryNumbers(
        _ hash: Int64,
        by kind: TraceIndexKind,
        in memory: Guarded<TraceMemory>,
        likely: Int64? = nil,
        _ visit: (Int64) throws(StoreError) -> Bool
    ) throws(StoreError) {
        // The memory first: what leaves it meanwhile is in a run by the time of the look at the runs.
        let recent = memory.withLock { $0.entries(hash) }
        for id in recent where !(try visit(id)) { return }
        let oldest = recent.last ?? .max
        // A run has the number of its last entry: the first that is not before a number has it, if any has.
        let first = try likely.map { number throws(StoreError) in
            try sql("SELECT min(id) FROM \(kind.runs) WHERE id >= ?").first([.integer(number)]) {
                $0.optionalInteger(0)
            }
        }
        let own = (first ?? nil) ?? nil
        if let own {
            for id in try TraceChunk.entries(hash, of: kind, run: own, sql) where id < oldest {
                if !(try visit(id)) { return }
            }
        }
        for run in try sql("SELECT id FROM \(kind.runs) ORDER BY id DESC").all([], { $0.integer(0) }) where run != own {
            for id in try TraceChunk.entries(hash, of: kind, run: run, sql) where id < oldest {
                if !(try visit(id)) { return }
            }
        }
    }
}
