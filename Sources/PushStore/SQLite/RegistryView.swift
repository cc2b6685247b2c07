/// The registry's snapshot for the lookup of every notification.
///
/// SQLite drops its page cache whenever another connection has written, and the outbox writes all the time. So this
/// connection keeps its snapshot until a registration changes.
final class RegistryView {
    private let connection: SQLiteConnection
    private let select: SQLiteStatement
    private let begin: SQLiteStatement
    private let end: SQLiteStatement
    private let news: RegistryNews
    /// The change count of the open snapshot; nil between snapshots.
    private var changeCount: Int?

    static let select = "SELECT \(DeviceRow.columns) FROM device NOT INDEXED WHERE \(DeviceRow.whereItMayBe)"

    init(_ connection: SQLiteConnection, news: RegistryNews) throws(StoreError) {
        self.connection = connection
        self.news = news
        // Interior pages of ten million registrations take about 5 MiB. Leaf pages are seldom read twice: a larger
        // cache would only cost memory.
        try connection.execute("PRAGMA cache_size = -16384")
        // It would check all cells of nearly every lookup's page. It guards writes, of which there are none; rows are
        // checked as they are read.
        try connection.execute("PRAGMA cell_size_check = OFF")
        select = try connection.prepare(Self.select)
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
    }

    /// Looks at a snapshot with every registration acknowledged before.
    ///
    /// - Parameter body: gets the statement for a registration, by `DeviceRow.whereItMayBe`.
    /// - Throws: errors of `body` and of the disk.
    func look<Value>(_ body: (SQLiteStatement) throws(StoreError) -> Value) throws(StoreError) -> Value {
        // Read before the snapshot begins: a change in between is seen twice, never missed.
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

    /// Ends the snapshot, so that SQLite may reset its log.
    func letGo() {
        guard changeCount != nil else { return }
        changeCount = nil
        do throws(StoreError) {
            try end.runBound()
        } catch {
            // Nothing was written; the next look begins its own snapshot.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        }
    }
}
