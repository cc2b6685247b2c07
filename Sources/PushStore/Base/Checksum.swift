/// 64-bit checksum against disk errors, not people, and for even distribution. Each step is a bijection of the state:
/// one flipped bit always changes the sum.
package struct Checksum {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    package init() {}

    /// Adds length and bytes: `ab` + `c` differs from `a` + `bc`.
    package mutating func add(_ bytes: [UInt8]) {
        // A local copy stays in a register.
        var state = Self.mixed(state, UInt64(bytes.count))
        let span = bytes.span
        let raw = unsafe span.bytes
        var offset = 0
        let wordsEnd = raw.byteCount & ~7
        while offset < wordsEnd {
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            state = Self.mixed(state, UInt64(littleEndian: word))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < span.count {
            rest = rest << 8 | UInt64(span[offset])
            offset += 1
        }
        self.state = Self.mixed(state, rest)
    }

    package mutating func add(_ number: UInt64) { state = Self.mixed(state, number) }

    package var value: UInt64 {
        // SplitMix64's finish: low bits depend on all bits.
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    private static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* 0x9FB2_1C65_1E98_DF25
        return product ^ product >> 32
    }
}
