/// Randomness that a test can repeat; for waits only, never for what must not be guessed.
///
/// - Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: SplitMix64.
struct Jitter {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// 0 ..< 1.
    mutating func nextFraction() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
    }
}
