extension ShardSet {
    /// Condition on the column `entry`; bound to `value`. An entry's low bits are its shard (`EntryID`).
    static let condition = "(? >> (entry & 63)) & 1"

    var value: SQLiteValue { .integer(Int64(bitPattern: bits)) }

    /// True for an entry of these shards, or one with a damaged id.
    func contains(entry: Int64) -> Bool { EntryID(value: entry).map { contains($0.shard) } ?? true }
}
