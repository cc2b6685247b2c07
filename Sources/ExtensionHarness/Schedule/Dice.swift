/// Random choices that a seed repeats.
///
/// - Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: SplitMix64.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// One of the values, each as likely as the others.
    mutating func pick<Value>(_ first: Value, _ others: Value...) -> Value {
        let index = Int(next() % UInt64(others.count + 1))
        return index == 0 ? first : others[index - 1]
    }

    /// True once in so many times, on average.
    mutating func isOne(in count: UInt64) -> Bool { next() % max(count, 1) == 0 }

    mutating func number(below bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(range.lowerBound + number(below: range.count))
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
