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
        let copyBundle = try connection.prepare(
            "INSERT INTO bundle (number, device, bytes) SELECT ?, ?, bundle FROM device_before WHERE rowid = ?"
        )
        let copy = try connection.prepare(
            """
            INSERT INTO device (place, tenant, id, topic, environment, token, quarantine, voip_token, voip_quarantine,
                language, region, app_version, registered, seen, fingerprint, voip_fingerprint, bundle)
            SELECT ?, tenant, id, topic, environment, token, quarantine, voip_token, voip_quarantine, language, region,
                app_version, registered, seen, fingerprint, voip_fingerprint, ? FROM device_before WHERE rowid = ?
            """
        )
        var last: Int64 = -1
        var bundle: Int64 = 0
        for row in try sortedRows() {
            // What has the same four comes one after the other, and nobody else is in their places.
            let range = row.first...row.first + 3
            let place = try DevicePlaces.free(in: range) { $0 <= last }
            last = place
            bundle += 1
            copyBundle.bind(1, bundle)
            copyBundle.bind(2, place)
            copyBundle.bind(3, row.number)
            try copyBundle.runBound()
            copy.bind(1, place)
            copy.bind(2, bundle)
            copy.bind(3, row.number)
            try copy.runBound()
        }
        try connection.execute(Schema.placeIndexes)
    }

    /// All of them, 16 bytes each, by the first of their places.
    private func sortedRows() throws(StoreError) -> [(first: Int64, number: Int64)] {
        let rows = try connection.prepare("SELECT rowid, tenant, id FROM device_before").all([]) { [places] row in
            (first: places.places(of: row.bytes(2), tenant: row.integer(1)).lowerBound, number: row.integer(0))
        }
        return rows.sorted { $0 < $1 }
    }
}
