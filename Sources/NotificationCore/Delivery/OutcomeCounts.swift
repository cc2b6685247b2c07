import Envelope

/// How often which outcome was met, without a word of what, from whom or when.
public struct OutcomeCounts: Equatable, Sendable {
    /// Places of a file that no kind has yet hold zero.
    static let cellCount = 32

    private(set) var cells = [UInt32](repeating: 0, count: cellCount)

    /// How often.
    public subscript(kind: OutcomeKind) -> Int { Int(cells[Self.place(of: kind)]) }

    /// Stops at the largest number instead of beginning anew.
    mutating func add(_ kind: OutcomeKind) {
        let place = Self.place(of: kind)
        if cells[place] < .max { cells[place] += 1 }
    }

    /// In the order of the kinds.
    private static let places = Dictionary(uniqueKeysWithValues: zip(OutcomeKind.allCases, 0..<cellCount))

    static func place(of kind: OutcomeKind) -> Int {
        guard let place = places[kind] else { preconditionFailure("more kinds than places") }
        return place
    }
}

// As bytes: "SPC1" ‖ 32 counts, u32 ‖ check u64.
extension OutcomeCounts {
    static let byteCount = magic.count + 4 * cellCount + 8
    private static let magic = Array("SPC1".utf8)

    var bytes: [UInt8] {
        var bytes = Self.magic
        for cell in cells { bytes.append(bigEndian: cell) }
        bytes.append(bigEndian: Self.check(bytes))
        return bytes
    }

    /// - Returns: nil for anything but what `bytes` gives.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard reader.take(Self.magic.count) == Self.magic else { return nil }
        for index in cells.indices {
            guard let cell = reader.take(UInt32.self) else { return nil }
            cells[index] = cell
        }
        // One text for the same counts: so are the check and the length.
        guard self.bytes == bytes else { return nil }
    }

    /// FNV-1a: against accidents, since whoever can write here can count as well.
    private static func check(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
