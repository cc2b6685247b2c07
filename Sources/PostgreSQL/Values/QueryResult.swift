internal import CPostgreSQL

/// Rows that a statement returned, read by total decoders: another type, length or a NULL is an error.
///
/// Unchecked Sendable: the library never changes a complete result, and the last owner frees it.
@safe package final class QueryResult: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Takes over a result of libpq's.
    init(owning handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe PQclear(handle) }

    package var rowCount: Int { Int(unsafe PQntuples(handle)) }
    package var rows: [Row] { (0..<rowCount).map { Row(self, index: Int32($0)) } }

    /// Rows that an INSERT, UPDATE or DELETE changed; 0 for other statements.
    package var changedCount: Int {
        guard let text = unsafe PQcmdTuples(handle) else { return 0 }
        return Int(unsafe String(cString: text)) ?? 0
    }

    /// - Returns: nil for NULL.
    /// - Throws: `.broken(.unexpectedResult)` for a column that is missing, of another type or in text format.
    fileprivate func value<Value>(
        _ row: Int32,
        _ column: Int,
        _ type: ValueType,
        _ decode: (RawSpan) -> Value?
    ) throws(PostgreSQLError) -> Value? {
        guard let index = Int32(exactly: column), index >= 0, unsafe index < PQnfields(handle),
            unsafe PQftype(handle, index) == type.rawValue, unsafe PQfformat(handle, index) == 1
        else { throw .broken(.unexpectedResult(column: column)) }
        guard unsafe PQgetisnull(handle, row, index) == 0 else { return nil }
        guard let start = unsafe PQgetvalue(handle, row, index) else { return nil }
        let byteCount = Int(unsafe PQgetlength(handle, row, index))
        let buffer = unsafe UnsafeRawBufferPointer(start: start, count: byteCount)
        guard let value = decode(unsafe buffer.bytes) else { throw .broken(.unexpectedResult(column: column)) }
        return value
    }
}

/// Row of a result. Columns count from 0.
package struct Row: Sendable {
    private let result: QueryResult
    private let index: Int32

    fileprivate init(_ result: QueryResult, index: Int32) {
        self.result = result
        self.index = index
    }

    package func bool(_ column: Int) throws(PostgreSQLError) -> Bool {
        try required(column, .bool) { bytes in
            let byte: UInt8? = Self.integer(bytes)
            return byte.map { $0 != 0 }
        }
    }

    package func int64(_ column: Int) throws(PostgreSQLError) -> Int64 {
        try required(column, .int64) { Self.integer($0) }
    }

    package func optionalInt64(_ column: Int) throws(PostgreSQLError) -> Int64? {
        try result.value(index, column, .int64) { Self.integer($0) }
    }

    package func int32(_ column: Int) throws(PostgreSQLError) -> Int32 {
        try required(column, .int32) { Self.integer($0) }
    }

    package func bytes(_ column: Int) throws(PostgreSQLError) -> [UInt8] {
        try required(column, .bytes) { Self.array($0) }
    }

    package func optionalBytes(_ column: Int) throws(PostgreSQLError) -> [UInt8]? {
        try result.value(index, column, .bytes) { Self.array($0) }
    }

    package func text(_ column: Int) throws(PostgreSQLError) -> String {
        try required(column, .text) { String(validating: Self.array($0), as: UTF8.self) }
    }

    private func required<Value>(
        _ column: Int,
        _ type: ValueType,
        _ decode: (RawSpan) -> Value?
    ) throws(PostgreSQLError) -> Value {
        guard let value = try result.value(index, column, type, decode) else {
            throw .broken(.unexpectedResult(column: column))
        }
        return value
    }

    private static func array(_ bytes: RawSpan) -> [UInt8] {
        unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }

    /// Big-endian; nil for another length than the type's.
    private static func integer<Value: FixedWidthInteger & BitwiseCopyable>(_ bytes: RawSpan) -> Value? {
        guard bytes.byteCount == MemoryLayout<Value>.size else { return nil }
        return Value(bigEndian: unsafe bytes.unsafeLoadUnaligned(as: Value.self))
    }
}
