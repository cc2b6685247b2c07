internal import APNS
internal import Envelope

/// APNs and devices show a collapse id's last push to arrive, not its newest (Apple, "Sending notification requests to
/// APNs", `apns-collapse-id`). So a late retry must not follow a newer accepted one.
extension StoreWriter {
    /// True if a newer entry with its device, topic and collapse id is in flight, accepted or possibly delivered.
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
