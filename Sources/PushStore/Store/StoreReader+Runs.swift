internal import APNS
internal import Envelope
internal import Platform

extension StoreReader {
    /// Visits a trace's candidate entries, newest first, each at most once, until `visit` returns false.
    func entryNumbers(trace: [UInt8], visit: (Int64) throws(StoreError) -> Bool) throws(StoreError) {
        try entryNumbers(TracePair.hash(trace: trace), by: .trace, in: memories.traces, visit)
    }

    /// Form for a device.
    func entryNumbers(
        device: [UInt8],
        tenant: Int64,
        visit: (Int64) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try entryNumbers(TracePair.hash(device: device, tenant: tenant), by: .device, in: memories.deviceEntries, visit)
    }

    /// Searches the time of its making first.
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
        // First: pairs that leave it are in a run by the time runs are read.
        let recent = memory.withLock { $0.entries(hash) }
        for id in recent where !(try visit(id)) { return }
        let oldest = recent.last ?? .max
        // A run's number is its last entry, so the first run from `likely` on has it, if any does.
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
