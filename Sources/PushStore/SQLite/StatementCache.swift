/// Connection's statements, each prepared once.
final class StatementCache {
    let connection: SQLiteConnection
    private var statements: [String: SQLiteStatement] = [:]

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// - Parameter text: SQL with parameters, never with data.
    func callAsFunction(_ text: String) throws(StoreError) -> SQLiteStatement {
        if let statement = statements[text] { return statement }
        let statement = try connection.prepare(text)
        statements[text] = statement
        return statement
    }
}
