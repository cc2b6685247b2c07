/// Reads fields of untrusted bytes. Every read is checked; none traps.
package struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package var remainingByteCount: Int { bytes.endIndex - position }

    /// Nil and nothing consumed if fewer are left.
    package mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= remainingByteCount else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// Big-endian, at most 64 bits.
    package mutating func take<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) -> Number? {
        let byteCount = Number.bitWidth / 8
        precondition(byteCount <= 8)
        guard byteCount <= remainingByteCount else { return nil }
        // In words of one type: generic code is not specialized across modules.
        var number: UInt64 = 0
        for offset in position..<position + byteCount { number = number << 8 | UInt64(bytes[offset]) }
        position += byteCount
        return Number(truncatingIfNeeded: number)
    }

    /// LP(x): one length byte, then that many bytes.
    package mutating func takeLengthPrefixed() -> [UInt8]? {
        let start = position
        guard let count = take(UInt8.self), let field = take(Int(count)) else {
            position = start
            return nil
        }
        return field
    }
}

extension [UInt8] {
    /// - Parameter number: of at most 64 bits.
    package mutating func append(bigEndian number: some FixedWidthInteger & UnsignedInteger) {
        let (word, bitWidth) = (UInt64(truncatingIfNeeded: number), number.bitWidth)
        precondition(bitWidth <= 64)
        for shift in stride(from: bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }

    /// LP(x) of at most 255 bytes.
    package mutating func append(lengthPrefixed field: [UInt8]) {
        precondition(field.count <= UInt8.max)
        append(UInt8(field.count))
        append(contentsOf: field)
    }
}
