internal import Primitives

/// Moves the registrations of a file of version 7 to their places, in the transaction of step 8: in the order of places, so
/// that each page is written once.
struct DeviceMove {
    private let connection: SQLiteConnection
    private let places: DevicePlaces

    /// - Parameters:
    ///   - connection: in the step's transaction, its text behind it.
    ///   - hash: in place of the file's own; nil but in tests.
    ///   - random: for the file's key.
    /// - Throws: what a disk does.
    init(
        _ connection: SQLiteConnection,
        hash: DevicePlaces.Hash?,
        random: inout some RandomSource
    ) throws(StoreError) {
        self.connection = connection
        let key = random.bytes(count: DevicePlaces.keyByteCount)
        try connection.prepare("INSERT INTO meta (name, value) VALUES ('\(DevicePlaces.keyName)', ?)").run([.bytes(key)]
        )
        places = hash.map { DevicePlaces(hash: $0) } ?? DevicePlaces(key: key)
    }

    /// - Throws: `.noPlace`, and what a disk does.
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

    /// All of them, 16 bytes each, and the first of the places of each.
    private func rowsBefore() throws(StoreError) -> [Row] {
        try connection.prepare("SELECT rowid, tenant, id FROM device_before").all([]) { [places] row in
            Row(place: places.places(of: row.bytes(2), tenant: row.integer(1)).lowerBound, number: row.integer(0))
        }
    }

    /// - Returns: the same in the order of places, each with the one that it gets.
    private func places(of rows: [Row]) throws(StoreError) -> [Row] {
        var rows = rows.sorted { ($0.place, $0.number) < ($1.place, $1.number) }
        // What has the same four comes one after the other, and nobody else is in their places.
        var last: Int64 = -1
        for index in rows.indices {
            let first = rows[index].place
            rows[index].place = try DevicePlaces.free(in: first...first + 3) { $0 <= last }
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
        /// In the table of before, and its bundle's from now on.
        let number: Int64
    }
}
