/// Times in buckets that grow by an eighth: always 352 numbers, so that counting does not affect the measured memory.
struct LatencyHistogram {
    private static let bucketsPerDoubling = 8
    private var counts = [Int](repeating: 0, count: 44 * bucketsPerDoubling)
    private(set) var count = 0
    private(set) var maximum: UInt64 = 0

    mutating func add(nanoseconds: UInt64) {
        counts[Self.bucket(of: nanoseconds)] += 1
        count += 1
        maximum = max(maximum, nanoseconds)
    }

    /// - Parameter perMille: 500 for the median.
    /// - Returns: Upper bound in nanoseconds of that share, too high by an eighth at most.
    func quantile(perMille: Int) -> UInt64 {
        var remaining = (count * perMille + 999) / 1_000
        for (bucket, bucketCount) in counts.enumerated() {
            remaining -= bucketCount
            if remaining <= 0 { return min(Self.upperEnd(of: bucket), maximum) }
        }
        return maximum
    }

    private static func bucket(of nanoseconds: UInt64) -> Int {
        let value = max(nanoseconds, 8)
        let exponent = 63 - value.leadingZeroBitCount
        let eighth = Int(value >> (exponent - 3)) & 7
        return min((exponent - 3) * bucketsPerDoubling + eighth, 44 * bucketsPerDoubling - 1)
    }

    private static func upperEnd(of bucket: Int) -> UInt64 {
        UInt64(8 + bucket % bucketsPerDoubling + 1) << (bucket / bucketsPerDoubling)
    }
}
