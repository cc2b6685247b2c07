internal import APNS
internal import Envelope

extension StoreReader {
    func attestedKey(of device: DeviceKey) throws(StoreError) -> AttestedKey? {
        guard let place = try place(of: device) else { return nil }
        return try sql("SELECT key_id, public_key, counter, challenged FROM attested WHERE device = ?").first([
            .integer(place)
        ]) { row in
            AttestedKey(
                id: row.bytes(0),
                publicKey: row.bytes(1),
                counter: UInt32(clamping: row.integer(2)),
                challenged: Timestamp(column: row.integer(3))
            )
        }
    }
}
