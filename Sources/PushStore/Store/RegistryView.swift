/// Registry's snapshot for notifications, kept until a registration changes: SQLite drops its cache after another
/// connection's write, and the outbox writes all the time.
final class RegistryView {
    private let connection: SQLiteConnection
    private let select: SQLiteStatement
    /// Finds an endpoint with its registration; of use in `look` alone.
    let selectEndpoint: SQLiteStatement
    private let begin: SQLiteStatement
    private let end: SQLiteStatement
    private let news: RegistryNews
    /// nil without a snapshot.
    private var changeCount: Int?

    static let select = "SELECT \(DeviceRow.columns) FROM device NOT INDEXED WHERE \(DeviceRow.whereItMayBe)"
    private static let selectEndpoint = """
        SELECT \(DeviceRow.columns), created, vapid, expiry, tenant, id FROM endpoint
        JOIN device ON device.place = endpoint.device WHERE hash = ? AND kind = ?
        """

    init(_ connection: SQLiteConnection, news: RegistryNews) throws(StoreError) {
        self.connection = connection
        self.news = news
        // Interior pages of ten million registrations take 5 MiB. Leaf pages are seldom read twice, and not worth more
        // memory.
        try connection.execute("PRAGMA cache_size = -16384")
        // It would check nearly every lookup's page to guard writes. Nothing is written here, and rows are checked when
        // read.
        try connection.execute("PRAGMA cell_size_check = OFF")
        select = try connection.prepare(Self.select)
        selectEndpoint = try connection.prepare(Self.selectEndpoint)
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
    }

    /// Snapshot with every acknowledged registration.
    ///
    /// - Parameter body: gets the statement for a registration, by `DeviceRow.whereItMayBe`.
    func look<Value>(_ body: (SQLiteStatement) throws(StoreError) -> Value) throws(StoreError) -> Value {
        // Before the snapshot: a change in between is seen twice, never missed.
        let now = news.state
        if let changeCount, changeCount != now.changeCount { letGo() }
        if changeCount == nil {
            try begin.runBound()
            changeCount = now.changeCount
        }
        do throws(StoreError) {
            let value = try body(select)
            if !now.mayLast { letGo() }
            return value
        } catch {
            letGo()
            throw error
        }
    }

    /// Ends the snapshot, for the log's sake.
    func letGo() {
        guard changeCount != nil else { return }
        changeCount = nil
        do throws(StoreError) {
            try end.runBound()
        } catch {
            // Nothing was written.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        }
    }
}
