internal import Platform

/// Random choices, repeatable by their seed.
struct Dice {
    private var numbers: SplitMix64

    init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    mutating func pick<Value>(_ first: Value, _ others: Value...) -> Value {
        let index = Int(next() % UInt64(others.count + 1))
        return index == 0 ? first : others[index - 1]
    }

    /// True once in `count` calls, on average.
    mutating func isOne(in count: UInt64) -> Bool { next() % max(count, 1) == 0 }

    mutating func number(below bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(range.lowerBound + number(below: range.count))
    }

    private mutating func next() -> UInt64 { numbers.next() }
}
