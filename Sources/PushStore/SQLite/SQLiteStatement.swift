internal import CSQLite
internal import Platform

/// Bound value. Texts are bytes: no data is ever part of a statement.
package enum SQLiteValue {
    case integer(Int64)
    case bytes([UInt8])
    case null

    package static func optional(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
    package static func optional(_ value: [UInt8]?) -> SQLiteValue { value.map { .bytes($0) } ?? .null }
    package static func optional(_ value: String?) -> SQLiteValue { value.map { .bytes(Array($0.utf8)) } ?? .null }
}

@safe
package final class SQLiteStatement {
    let handle: OpaquePointer
    private let connection: SQLiteConnection
    /// The last bind error.
    private var boundCode = SQLITE_OK

    init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
        unsafe self.handle = handle
        self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Runs it to its end, and returns the number of changed rows.
    @discardableResult
    package func run(_ values: [SQLiteValue]) throws(StoreError) -> Int {
        try bind(values)
        defer { reset() }
        while try step() {}
        return connection.changeCount
    }

    /// Binds for the next `runBound`, from 1.
    func bind(_ index: Int32, _ number: Int64) { note(unsafe sqlite3_bind_int64(handle, index, number)) }

    func bind(_ index: Int32, _ bytes: [UInt8]) {
        note(unsafe csqlite_bind_blob(handle, index, bytes, Int32(clamping: bytes.count)))
    }

    func bindNull(_ index: Int32) { note(unsafe sqlite3_bind_null(handle, index)) }

    func bind(_ index: Int32, optional number: Int64?) {
        if let number { bind(index, number) } else { bindNull(index) }
    }

    /// Runs it with the bound values, which stay, for hot statements; returns as `run`.
    @discardableResult
    func runBound() throws(StoreError) -> Int {
        defer { reset() }
        guard boundCode == SQLITE_OK else {
            defer { boundCode = SQLITE_OK }
            throw connection.failure(.bind, boundCode)
        }
        while try step() {}
        return connection.changeCount
    }

    @discardableResult
    /// Binds `index` to bytes without a copy, for this run.
    func runBound(_ index: Int32, borrowing bytes: [UInt8]) throws(StoreError) -> Int {
        try unsafe bytes.withUnsafeBufferPointer { bytes throws(StoreError) in
            let byteCount = Int32(clamping: bytes.count)
            note(unsafe csqlite_bind_borrowed(handle, index, bytes.baseAddress, byteCount))
            // The pointer ends with this scope.
            defer { bindNull(index) }
            return try runBound()
        }
    }

    private func note(_ code: Int32) { if code != SQLITE_OK { boundCode = code } }

    /// - Returns: nil without a row.
    package func first<Result>(
        _ values: [SQLiteValue],
        _ read: (SQLiteRow) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        try bind(values)
        defer { reset() }
        return try step() ? try unsafe read(SQLiteRow(handle: handle)) : nil
    }

    /// - Parameter read: false stops.
    package func each(_ values: [SQLiteValue], _ read: (SQLiteRow) -> Bool) throws(StoreError) {
        try bind(values)
        defer { reset() }
        while try step(), unsafe read(SQLiteRow(handle: handle)) {}
    }

    package func all<Result>(
        _ values: [SQLiteValue],
        _ read: (SQLiteRow) throws(StoreError) -> Result
    ) throws(StoreError) -> [Result] {
        try bind(values)
        defer { reset() }
        var results: [Result] = []
        while try step() { results.append(try unsafe read(SQLiteRow(handle: handle))) }
        return results
    }

    private func bind(_ values: [SQLiteValue]) throws(StoreError) {
        var index: Int32 = 0
        for value in values {
            index += 1
            let code =
                switch value {
                case .integer(let number): unsafe sqlite3_bind_int64(handle, index, number)
                case .bytes(let bytes): unsafe csqlite_bind_blob(handle, index, bytes, Int32(clamping: bytes.count))
                case .null: unsafe sqlite3_bind_null(handle, index)
                }
            guard code == SQLITE_OK else { throw connection.failure(.bind, code) }
        }
    }

    private func step() throws(StoreError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw connection.failure(.step, code)
        }
    }

    // Its code repeats that of the step before.
    private func reset() { unsafe _ = sqlite3_reset(handle) }
}

/// One row of a result, valid until the next step.
@safe
package struct SQLiteRow {
    let handle: OpaquePointer

    package func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// 0 if it is no number.
    package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// True for a number that is not negative.
    func isCount(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER && integer(column) >= 0
    }

    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// Empty for NULL.
    package func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// All columns, texts as bytes.
    var values: [CopiedValue] {
        let count = unsafe sqlite3_column_count(handle)
        return (0..<count).map { column in
            switch unsafe sqlite3_column_type(handle, column) {
            case SQLITE_NULL: .none
            case SQLITE_INTEGER: .integer(integer(column))
            default: .bytes(bytes(column))
            }
        }
    }

    package func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    package func optionalText(_ column: Int32) -> String? {
        if isNull(column) { return nil }
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Compares a column with bytes; NULL is none.
    func holds(_ bytes: [UInt8], in column: Int32) -> Bool {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return false }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe count == bytes.count && memcmp(start, bytes, count) == 0
    }
}
