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
        case .int64s(let values): Self.array(values)
        case .bytesList(let values): Self.array(values)
        case .noBytes, .noInt64: nil
        }
    }

    /// An array of one dimension, or of none where it is empty (array_recv in the server's arrayfuncs.c).
    private static func head(count: Int, hasNull: Bool, of type: ValueType, byteCount: Int) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(20 + byteCount)
        append(count == 0 ? 0 : 1, to: &output)
        append(hasNull ? 1 : 0, to: &output)
        append(Int32(bitPattern: type.rawValue), to: &output)
        guard count > 0 else { return output }
        append(Int32(count), to: &output)
        append(1, to: &output)
        return output
    }

    private static func array(_ elements: [Int64]) -> [UInt8] {
        var output = head(count: elements.count, hasNull: false, of: .int64, byteCount: 12 * elements.count)
        for element in elements {
            append(8, to: &output)
            append(Int32(truncatingIfNeeded: element >> 32), to: &output)
            append(Int32(truncatingIfNeeded: element), to: &output)
        }
        return output
    }

    private static func array(_ elements: [[UInt8]?]) -> [UInt8] {
        var (byteCount, hasNull) = (4 * elements.count, false)
        for element in elements {
            byteCount += element?.count ?? 0
            hasNull = hasNull || element == nil
        }
        var output = head(count: elements.count, hasNull: hasNull, of: .bytes, byteCount: byteCount)
        for element in elements {
            append(element.map { Int32($0.count) } ?? -1, to: &output)
            if let element { output.append(contentsOf: element) }
        }
        return output
    }

    /// Byte by byte: generic and bridged forms take most of the time of a large batch.
    private static func append(_ value: Int32, to output: inout [UInt8]) {
        output.append(UInt8(truncatingIfNeeded: value >> 24))
        output.append(UInt8(truncatingIfNeeded: value >> 16))
        output.append(UInt8(truncatingIfNeeded: value >> 8))
        output.append(UInt8(truncatingIfNeeded: value))
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        let count = value.bitWidth / 8
        return (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
}
