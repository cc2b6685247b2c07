import Platform

/// Random choices that a seed reproduces.
package struct SeededDice: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    package mutating func next() -> UInt64 { numbers.next() }

    package mutating func isTrue(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    package mutating func pick<Value>(_ first: Value, _ others: Value...) -> Value {
        let index = Int.random(in: 0...others.count, using: &self)
        return index == 0 ? first : others[index - 1]
    }

    package mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &self))
    }
}
