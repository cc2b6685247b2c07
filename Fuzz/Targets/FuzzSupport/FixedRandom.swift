import Primitives

/// The same bytes in every run (SplitMix64), so that a finding can be replayed. For keys that protect nothing.
package struct FixedRandom: RandomSource {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func fill(_ span: inout MutableRawSpan) {
        for offset in 0..<span.byteCount {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            span.storeBytes(of: UInt8(truncatingIfNeeded: mixed ^ mixed >> 31), toByteOffset: offset, as: UInt8.self)
        }
    }
}
