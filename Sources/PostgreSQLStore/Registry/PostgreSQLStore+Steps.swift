internal import PostgreSQL
internal import PushStore

/// Steps of calls that read, decide, and write if what they have read still stands.
extension PostgreSQLStore {
    private static let turnCountMax = 100

    /// Repeats a call that reads anew each time. Another relay has gone on whenever it is repeated.
    ///
    /// - Parameter body: gives nil if another relay's write came between.
    func untilUnchanged<Value>(
        _ body: () async throws(StoreError) -> Value?
    ) async throws(StoreError) -> Value {
        for _ in 0..<Self.turnCountMax {
            if let value = try await body() { return value }
        }
        throw .overloaded
    }

    /// Runs a batch whose statements `require` what was read.
    ///
    /// - Returns: nil if that has changed, or another relay has the same new row; then nothing is stored.
    func runUnlessChanged(_ batch: Batch) async throws(StoreError) -> [QueryResult]? {
        do throws(PostgreSQLError) {
            return try await pool.run(batch, within: settings.callTime)
        } catch .notDone(.refused(let state)) where Self.changes.contains(state.description) {
            return nil
        } catch .notDone(.lockNotAvailable) {
            return nil
        } catch {
            throw StoreError(error)
        }
    }

    /// `sealedpush.require`; a unique key; a device or endpoint that is gone.
    private static let changes: Set = ["SP002", "23505", "23503"]

    func write(_ statement: Statement, _ parameters: [Parameter]) async throws(StoreError) -> QueryResult {
        var batch = Batch(writes: true)
        batch.add(statement, parameters)
        return try await run(batch)[0]
    }

    func read<Value>(
        _ statement: Statement,
        _ parameters: [Parameter],
        _ decode: (QueryResult) throws(PostgreSQLError) -> Value
    ) async throws(StoreError) -> Value {
        var batch = Batch(writes: false)
        batch.add(statement, parameters)
        return try await read(batch) { results throws(PostgreSQLError) in try decode(results[0]) }
    }

    /// - Parameter decode: gets a result for each statement.
    func read<Value>(
        _ batch: Batch,
        _ decode: ([QueryResult]) throws(PostgreSQLError) -> Value
    ) async throws(StoreError) -> Value {
        let results = try await run(batch)
        return try Self.decode { () throws(PostgreSQLError) in try decode(results) }
    }
}
