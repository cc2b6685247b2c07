internal import Primitives

/// Moves registrations to their places, in step 8's transaction, and in their order, to write each page once.
struct DeviceMove {
    private let connection: SQLiteConnection
    private let places: DeviceSlots

    /// - Parameters:
    ///   - connection: in the transaction, after the step's text.
    ///   - hash: replaces the file's own in tests.
    init(
        _ connection: SQLiteConnection,
        hash: DeviceSlots.Hash?,
        random: inout some RandomSource
    ) throws(StoreError) {
        self.connection = connection
        let key = random.bytes(count: DeviceSlots.keyByteCount)
        try connection.prepare("INSERT INTO meta (name, value) VALUES ('\(DeviceSlots.keyName)', ?)").run([.bytes(key)]
        )
        places = hash.map { DeviceSlots(hash: $0) } ?? DeviceSlots(key: key)
    }

    /// - Throws: `.noPlace`, and disk errors.
    func run() throws(StoreError) {
        let copyDevice = try connection.prepare(
            """
            INSERT INTO device (place, tenant, id, topic, environment, token, quarantine, voip_token, voip_quarantine,
                language, region, app_version, registered, seen, fingerprint, voip_fingerprint, bundle)
            SELECT ?, tenant, id, topic, environment, token, quarantine, voip_token, voip_quarantine, language, region,
                app_version, registered, seen, fingerprint, voip_fingerprint, rowid FROM device_before WHERE rowid = ?
            """
        )
        let copyBundle = try connection.prepare(
            "INSERT INTO bundle (number, device, bytes) SELECT rowid, ?, bundle FROM device_before WHERE rowid = ?"
        )
        let rows = try places(of: rowsBefore())
        for row in rows { try copy(row, copyDevice) }
        for row in rows.sorted(by: { $0.number < $1.number }) { try copy(row, copyBundle) }
        try connection.execute(Schema.placeIndexes)
    }

    /// All rows, 16 bytes each, with their first places.
    private func rowsBefore() throws(StoreError) -> [Row] {
        try connection.prepare("SELECT rowid, tenant, id FROM device_before").all([]) { [places] row in
            Row(place: places.places(of: row.bytes(2), tenant: row.integer(1)).lowerBound, number: row.integer(0))
        }
    }

    /// - Returns: rows in order of their final places.
    private func places(of rows: [Row]) throws(StoreError) -> [Row] {
        var rows = rows.sorted { ($0.place, $0.number) < ($1.place, $1.number) }
        // Rows with the same four places are adjacent, and alone in them.
        var last: Int64 = -1
        for index in rows.indices {
            let first = rows[index].place
            rows[index].place = try DeviceSlots.free(in: first...first + 3) { $0 <= last }
            last = rows[index].place
        }
        return rows
    }

    private func copy(_ row: Row, _ statement: SQLiteStatement) throws(StoreError) {
        statement.bind(1, row.place)
        statement.bind(2, row.number)
        try statement.runBound()
    }

    private struct Row {
        var place: Int64
        /// In the old table; then its bundle's.
        let number: Int64
    }
}
