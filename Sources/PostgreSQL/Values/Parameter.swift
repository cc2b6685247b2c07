/// Type of a parameter or a column, by its number in the server's catalog (pg_type.dat).
enum ValueType: UInt32 {
    case bool = 16
    case bytes = 17
    case int64 = 20
    case int32 = 23
    case text = 25
    case bytesArray = 1001
    case int64Array = 1016
}

/// Parameter of a statement, sent in the server's binary format.
package enum Parameter: Sendable, Equatable {
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case bytes([UInt8])
    /// Without U+0000, which the server refuses.
    case text(String)
    case int64s([Int64])
    /// nil elements are NULL.
    case bytesList([[UInt8]?])
    case noBytes
    case noInt64

    var type: ValueType {
        switch self {
        case .bool: .bool
        case .int32: .int32
        case .int64, .noInt64: .int64
        case .bytes, .noBytes: .bytes
        case .text: .text
        case .int64s: .int64Array
        case .bytesList: .bytesArray
        }
    }

    /// - Returns: nil for NULL.
    var encoded: [UInt8]? {
        switch self {
        case .bool(let value): [value ? 1 : 0]
        case .int32(let value): Self.bigEndian(value)
        case .int64(let value): Self.bigEndian(value)
        case .bytes(let value): value
        case .text(let value): Array(value.utf8)
        case .int64s(let values): Self.array(values.map(Self.bigEndian), of: .int64)
        case .bytesList(let values): Self.array(values, of: .bytes)
        case .noBytes, .noInt64: nil
        }
    }

    /// An array of one dimension, or of none where it is empty (array_recv in the server's arrayfuncs.c).
    private static func array(_ elements: [[UInt8]?], of type: ValueType) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
        output += bigEndian(Int32(elements.isEmpty ? 0 : 1))
        output += bigEndian(Int32(elements.contains(nil) ? 1 : 0))
        output += bigEndian(Int32(bitPattern: type.rawValue))
        guard !elements.isEmpty else { return output }
        output += bigEndian(Int32(elements.count))
        output += bigEndian(Int32(1))
        for element in elements {
            output += bigEndian(element.map { Int32($0.count) } ?? -1)
            output += element ?? []
        }
        return output
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        let count = value.bitWidth / 8
        return (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
}
