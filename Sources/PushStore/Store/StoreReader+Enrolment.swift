internal import APNS
internal import Envelope

extension StoreReader {
    func attestedKey(of device: DeviceKey) throws(StoreError) -> AttestedKey? {
        guard let place = try place(of: device) else { return nil }
        return try sql(AttestedKey.select).first([.integer(place)], AttestedKey.init)
    }
}

extension AttestedKey {
    static let select = "SELECT key_id, public_key, counter, challenged FROM attested WHERE device = ?"

    init(_ row: SQLiteRow) {
        self.init(
            id: row.bytes(0),
            publicKey: row.bytes(1),
            counter: UInt32(clamping: row.integer(2)),
            challenged: Timestamp(column: row.integer(3))
        )
    }
}
