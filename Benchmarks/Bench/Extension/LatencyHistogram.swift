/// Times in buckets that grow by a thirty-second: always 1,408 numbers, so that counting does not affect the measured
/// memory.
struct LatencyHistogram {
    private static let bucketsPerDoubling = 32
    private var counts = [Int](repeating: 0, count: 44 * bucketsPerDoubling)
    private(set) var count = 0
    private(set) var maximum: UInt64 = 0

    mutating func add(nanoseconds: UInt64) {
        counts[Self.bucket(of: nanoseconds)] += 1
        count += 1
        maximum = max(maximum, nanoseconds)
    }

    /// - Parameter perMille: 500 for the median.
    /// - Returns: Upper bound in nanoseconds of that share, too high by a thirty-second at most.
    func quantile(perMille: Int) -> UInt64 {
        var remaining = (count * perMille + 999) / 1_000
        for (bucket, bucketCount) in counts.enumerated() {
            remaining -= bucketCount
            if remaining <= 0 { return min(Self.upperEnd(of: bucket), maximum) }
        }
        return maximum
    }

    private static func bucket(of nanoseconds: UInt64) -> Int {
        let value = max(nanoseconds, 32)
        let exponent = 63 - value.leadingZeroBitCount
        let part = Int(value >> (exponent - 5)) & 31
        return min((exponent - 5) * bucketsPerDoubling + part, 44 * bucketsPerDoubling - 1)
    }

    private static func upperEnd(of bucket: Int) -> UInt64 {
        UInt64(32 + bucket % bucketsPerDoubling + 1) << (bucket / bucketsPerDoubling)
    }
}
