package struct Histogram: Equatable, Sendable {
    /// Upper bounds; longer durations count in the total only.
    package static let boundsMicroseconds: [Int64] = [
        1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000,
    ]
    /// Bounds in seconds.
    package static let boundTexts = [
        "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10",
    ]

    /// Counts of each bucket alone, not cumulative.
    package private(set) var counts = [UInt64](repeating: 0, count: boundsMicroseconds.count)
    package private(set) var count: UInt64 = 0
    package private(set) var sumMicroseconds: UInt64 = 0

    package init() {}

    package mutating func observe(microseconds: Int64) {
        let value = max(0, microseconds)
        count &+= 1
        sumMicroseconds &+= UInt64(value)
        guard let bucket = Self.boundsMicroseconds.firstIndex(where: { value <= $0 }) else { return }
        counts[bucket] &+= 1
    }
}
