import Envelope

/// Counts without contents, senders or times.
public struct OutcomeCounts: Equatable, Sendable {
    /// Places without a kind hold zero.
    static let cellCount = 32

    private(set) var cells = [UInt32](repeating: 0, count: cellCount)

    /// Count of an outcome.
    public subscript(kind: OutcomeKind) -> Int { Int(cells[Self.place(of: kind)]) }

    /// Saturates.
    mutating func add(_ kind: OutcomeKind) {
        let place = Self.place(of: kind)
        if cells[place] < .max { cells[place] += 1 }
    }

    private static let places = Dictionary(uniqueKeysWithValues: zip(OutcomeKind.allCases, 0..<cellCount))

    static func place(of kind: OutcomeKind) -> Int {
        guard let place = places[kind] else { preconditionFailure("more kinds than places") }
        return place
    }
}

// Bytes: "SPC1" ‖ 32 counts, u32 ‖ check u64.
extension OutcomeCounts {
    static let byteCount = magic.count + 4 * cellCount + 8
    private static let magic = Array("SPC1".utf8)

    var bytes: [UInt8] {
        var bytes = Self.magic
        for cell in cells { bytes.append(bigEndian: cell) }
        bytes.append(bigEndian: Self.check(bytes))
        return bytes
    }

    /// - Returns: nil for anything but `bytes`.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard reader.take(Self.magic.count) == Self.magic else { return nil }
        for index in cells.indices {
            guard let cell = reader.take(UInt32.self) else { return nil }
            cells[index] = cell
        }
        // Canonical form: covers check and length.
        guard self.bytes == bytes else { return nil }
    }

    /// FNV-1a, against accidents: a writer could forge counts anyway.
    private static func check(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
