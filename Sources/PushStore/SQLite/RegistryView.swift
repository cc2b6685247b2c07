/// The registrations, for the look that every notification takes: at a state of the file that lasts over many calls.
///
/// SQLite forgets the pages that it has read whenever another connection has written, and the outbox is written all the time.
/// So this is a connection of its own, which stays at the state that it has seen until a registration changes.
final class RegistryView {
    private let connection: SQLiteConnection
    private let select: SQLiteStatement
    private let begin: SQLiteStatement
    private let end: SQLiteStatement
    private let news: RegistryNews
    /// Of the state that it is at; nil between looks.
    private var changeCount: Int?

    static let select = "SELECT \(DeviceRow.columns) FROM device NOT INDEXED WHERE \(DeviceRow.whereItMayBe)"

    init(_ connection: SQLiteConnection, news: RegistryNews) throws(StoreError) {
        self.connection = connection
        self.news = news
        // Of ten million registrations the pages that lead to others take up some 5 MiB. What a look reads besides is not
        // needed again for a long time, so that more would only be more memory.
        try connection.execute("PRAGMA cache_size = -16384")
        // All cells of each page that is read, which is nearly every look's: it keeps damage from being written on, and nothing
        // is written here. What a look finds is checked as it is read.
        try connection.execute("PRAGMA cell_size_check = OFF")
        select = try connection.prepare(Self.select)
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
    }

    /// Looks at a state of the file that has every registration that was acknowledged before.
    ///
    /// - Parameter body: gets the statement for a registration, by `DeviceRow.whereItMayBe`.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, and what a disk does.
    func look<Value>(_ body: (SQLiteStatement) throws(StoreError) -> Value) throws(StoreError) -> Value {
        // Before the state of the file is taken: what changes in between is seen twice, and never missed.
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

    /// SQLite may use its log again.
    func letGo() {
        guard changeCount != nil else { return }
        changeCount = nil
        do throws(StoreError) {
            try end.runBound()
        } catch {
            // Nothing was written; the next look begins its own.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        }
    }
}
