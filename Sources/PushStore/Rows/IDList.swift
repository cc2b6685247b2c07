internal import Envelope

/// Ids as a column: eight bytes each.
package enum IDList {
    package static func encode(_ ids: [EntryID]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * ids.count)
        for id in ids { bytes.append(bigEndian: UInt64(id.value)) }
        return bytes
    }

    /// - Returns: nil for malformed bytes.
    package static func decode(_ bytes: [UInt8]) -> [EntryID]? {
        guard bytes.count.isMultiple(of: 8) else { return nil }
        var reader = ByteReader(bytes[...])
        var ids: [EntryID] = []
        while let value = reader.take(UInt64.self) {
            guard let id = Int64(exactly: value).flatMap(EntryID.init) else { return nil }
            ids.append(id)
        }
        return ids
    }
}
