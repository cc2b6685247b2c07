internal import APNS
internal import Envelope

/// APNs and devices show what comes last of a collapse id, not what is the newest of it (Apple, "Sending notification requests
/// to APNs", `apns-collapse-id`). So what is tried again late must not come behind what was accepted after it.
extension StoreWriter {
    /// Whether a newer entry for the same device, of the same topic and collapse id, is on its way, was accepted, or may have
    /// arrived. One that only waits, or that APNs has refused, takes nobody's place.
    func isSuperseded(_ id: EntryID) throws(StoreError) -> Bool {
        let own = try sql("SELECT header, tenant FROM entry WHERE id = ?").first([.integer(id.value)]) { row in
            (header: EntryHeader.decode(row.bytes(0)), tenant: row.integer(1))
        }
        guard let own, let header = own.header, let collapseID = header.collapseID else { return false }
        let hash = TracePair.hash(device: header.device.bytes, tenant: own.tenant)
        for number in try deviceEntries.numbers(hash, after: id.value, sql) {
            let found = try sql("SELECT header FROM entry WHERE id = ? AND (state IN (1, 3, 4) OR maybe_duplicate = 1)")
                .first([.integer(number)]) { row in EntryHeader.decode(row.bytes(0)) }
            guard let other = found ?? nil, other.device == header.device, other.topic == header.topic,
                other.collapseID == collapseID
            else { continue }
            return true
        }
        return false
    }
}
