/// Payloads of entries sent at once, many in a row.
///
/// Nearly all are accepted at once and need their payload only after a crash: a row each would be wasted. The last
/// entry in need deletes its parcel; a retry gets its own row in `payload`. Only the writer reads parcels: entries in
/// flight are sent from memory.
final class ParcelTable {
    private let insert: SQLiteStatement
    private let select: SQLiteStatement
    private let delete: SQLiteStatement
    /// By entry, without those released here.
    private var parcels: [Int64: Int64] = [:]
    /// Each parcel's entries, as of the last committed transaction.
    private var counts: [Int64: Int] = [:]
    private var open = PayloadParcel()
    private var written: [[Int64]] = []
    private var released: [(entry: Int64, parcel: Int64)] = []
    private var last: (id: Int64, bytes: [UInt8])?

    init(_ connection: SQLiteConnection) throws(StoreError) {
        insert = try connection.prepare("INSERT INTO parcel (id, bytes) VALUES (?, ?)")
        select = try connection.prepare("SELECT bytes FROM parcel WHERE id = ?")
        delete = try connection.prepare("DELETE FROM parcel WHERE id = ?")
    }

    func add(_ payload: [UInt8], of entry: Int64) throws(StoreError) {
        if !open.hasRoom(payload.count) { try writeOpen() }
        open.append(payload, of: entry)
    }

    /// False without one.
    func release(_ entry: Int64) -> Bool {
        guard let parcel = parcels.removeValue(forKey: entry) else { return false }
        released.append((entry, parcel))
        return true
    }

    /// - Returns: nil without a parcel; an inner nil for a lost one.
    func payload(of entry: Int64) throws(StoreError) -> [UInt8]?? {
        guard let parcel = parcels[entry] else { return nil }
        if last?.id != parcel {
            last = (parcel, try select.first([.integer(parcel)]) { $0.bytes(0) } ?? [])
        }
        var found: [UInt8]?
        PayloadParcel.read(last?.bytes ?? []) { id, payload in
            if id == entry { found = Array(payload) }
            return id != entry
        }
        return .some(found)
    }

    /// Runs before the transaction ends.
    func write() throws(StoreError) {
        try writeOpen()
        for (parcel, count) in releasedCounts where counts[parcel] == count { try delete.run([.integer(parcel)]) }
    }

    /// Runs after it has ended.
    func end(holds: Bool) {
        if holds {
            for (parcel, count) in releasedCounts {
                let rest = (counts[parcel] ?? 0) - count
                counts[parcel] = rest > 0 ? rest : nil
            }
            for entries in written {
                counts[entries[0]] = entries.count
                for entry in entries { parcels[entry] = entries[0] }
            }
        } else {
            for (entry, parcel) in released { parcels[entry] = parcel }
        }
        open.removeAll()
        written.removeAll(keepingCapacity: true)
        released.removeAll(keepingCapacity: true)
        last = nil
    }

    /// Its id is its first entry's.
    private func writeOpen() throws(StoreError) {
        guard let first = open.entries.first else { return }
        insert.bind(1, first)
        try insert.runBound(2, borrowing: open.bytes)
        written.append(open.entries)
        open.removeAll()
    }

    private var releasedCounts: [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for (_, parcel) in released { counts[parcel, default: 0] += 1 }
        return counts
    }
}

extension StoreWriter {
    func insertPayload(_ payload: [UInt8], of id: Int64) throws(StoreError) {
        hot.insertPayload.bind(1, id)
        hot.insertPayload.bind(2, payload)
        try hot.insertPayload.runBound()
    }

    func deletePayload(_ id: Int64) throws(StoreError) {
        hot.deletePayload.bind(1, id)
        try hot.deletePayload.runBound()
    }

    /// Moves a needed payload into its own row, or deletes it.
    func settlePayload(of id: Int64, as state: EntryState) throws(StoreError) {
        if !state.needsNoPayload, let found = try parcels.payload(of: id), let payload = found {
            try insertPayload(payload, of: id)
        }
        // Else it is in no parcel.
        if !parcels.release(id), state.needsNoPayload { try deletePayload(id) }
    }

    /// After a start, gives in-flight entries rows of their own.
    ///
    /// - Returns: true once no parcel is left.
    func unpackParcels(limit: Int) throws(StoreError) -> Bool {
        let found = try sql("SELECT id, bytes FROM parcel ORDER BY id LIMIT ?").all([.integer(Int64(limit))]) { row in
            (id: row.integer(0), bytes: row.bytes(1))
        }
        for (id, bytes) in found {
            try PayloadParcel.read(bytes) { (entry, payload) throws(StoreError) in
                // Others have ended, or have their row.
                try sql(
                    """
                    INSERT OR IGNORE INTO payload (entry, bytes)
                    SELECT id, ? FROM entry WHERE id = ? AND state = 1
                    """
                ).run([.bytes(Array(payload)), .integer(entry)])
                return true
            }
            try sql("DELETE FROM parcel WHERE id = ?").run([.integer(id)])
        }
        return found.count < limit
    }
}
