internal import Envelope

/// Several entries' payloads in one column, each as the entry's id (8 bytes), length (4 bytes, big-endian) and payload.
struct PayloadParcel {
    /// Bounds the read at an entry's end.
    static let byteCountMax = 65_536
    private static let headByteCount = 12

    private(set) var entries: [Int64] = []
    private(set) var bytes: [UInt8] = []

    func hasRoom(_ byteCount: Int) -> Bool {
        entries.isEmpty || bytes.count + Self.headByteCount + byteCount <= Self.byteCountMax
    }

    mutating func append(_ payload: [UInt8], of entry: Int64) {
        entries.append(entry)
        bytes.append(word: UInt64(bitPattern: entry))
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift)) }
        bytes += payload
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Visits payloads until `visit` returns false or bytes are malformed.
    static func read<E: Error>(_ bytes: [UInt8], _ visit: (Int64, ArraySlice<UInt8>) throws(E) -> Bool) throws(E) {
        var offset = 0
        while bytes.count - offset >= headByteCount {
            let entry = bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
            let byteCount = bytes[offset + 8..<offset + headByteCount].reduce(0) { $0 << 8 | Int($1) }
            offset += headByteCount
            guard byteCount <= bytes.count - offset else { return }
            guard try visit(Int64(bitPattern: entry), bytes[offset..<offset + byteCount]) else { return }
            offset += byteCount
        }
    }
}
