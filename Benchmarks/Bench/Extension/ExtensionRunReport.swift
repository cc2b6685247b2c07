/// What one extension did with all pushes, as the process that ran it says.
package struct ExtensionRunReport: Sendable {
    /// How many pushes there were.
    package var pushCount = 0
    /// Calls of the content handler: as many as pushes, or something is wrong.
    package var handlerCallCount = 0
    /// From the call of `didReceive` to the handler's, in nanoseconds.
    package var median: UInt64 = 0
    package var p99: UInt64 = 0
    package var p999: UInt64 = 0
    package var maximum: UInt64 = 0
    /// The same stretch in CPU time of the whole process: what no other process, and no other machine on the same
    /// processors, has a part in.
    package var cpuMedian: UInt64 = 0
    package var cpuP99: UInt64 = 0
    /// CPU time of the whole process for one push, with what comes after the answer, in nanoseconds.
    package var cpuPerPush: UInt64 = 0
    /// RssAnon + RssShmem + VmSwap, in bytes: the highest seen, read after every 16th push.
    package var peakByteCount = 0
    /// Pushes whose own words were shown.
    package var openedCount = 0

    package init() {}

    /// One line of numbers, in the order of the properties.
    package var line: String {
        [
            UInt64(pushCount), UInt64(handlerCallCount), median, p99, p999, maximum, cpuMedian, cpuP99, cpuPerPush,
            UInt64(peakByteCount), UInt64(openedCount),
        ]
        .map(String.init).joined(separator: " ")
    }

    /// - Returns: nil unless these are the numbers of one report.
    package init?(line: String) {
        let numbers = line.split(separator: " ").compactMap { UInt64($0) }
        guard numbers.count == 11, numbers.allSatisfy({ $0 <= Int.max }) else { return nil }
        pushCount = Int(numbers[0])
        handlerCallCount = Int(numbers[1])
        (median, p99, p999, maximum) = (numbers[2], numbers[3], numbers[4], numbers[5])
        (cpuMedian, cpuP99, cpuPerPush) = (numbers[6], numbers[7], numbers[8])
        peakByteCount = Int(numbers[9])
        openedCount = Int(numbers[10])
    }
}
