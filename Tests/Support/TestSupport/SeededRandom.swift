import Primitives

/// Random numbers from a seed, for tests that print it: the same seed, the same test (SplitMix64). Never for keys that
/// protect anything.
package struct SeededRandom: RandomNumberGenerator, RandomSource, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    package mutating func fill(_ span: inout MutableRawSpan) {
        for offset in 0..<span.byteCount {
            span.storeBytes(of: UInt8(truncatingIfNeeded: next()), toByteOffset: offset, as: UInt8.self)
        }
    }
}
