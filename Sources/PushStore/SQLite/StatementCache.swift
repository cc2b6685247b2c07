/// Connection's statements, each prepared once.
package final class StatementCache {
    let connection: SQLiteConnection
    private var statements: [String: SQLiteStatement] = [:]

    package init(_ connection: SQLiteConnection) { self.connection = connection }

    /// - Parameter text: SQL with parameters, never with data.
    package func callAsFunction(_ text: String) throws(StoreError) -> SQLiteStatement {
        if let statement = statements[text] { return statement }
        let statement = try connection.prepare(text)
        statements[text] = statement
        return statement
    }
}
