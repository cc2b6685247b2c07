/// Result of one extension over all pushes, as reported by its process.
package struct ExtensionRunReport: Sendable {
    package var pushCount = 0
    /// Calls of the content handler; it must equal `pushCount`.
    package var handlerCallCount = 0
    /// Nanoseconds from the call of `didReceive` to the handler's.
    package var median: UInt64 = 0
    package var p99: UInt64 = 0
    package var p999: UInt64 = 0
    package var maximum: UInt64 = 0
    /// The same in CPU time of the whole process: unaffected by other processes, and by other machines on the same
    /// processors.
    package var cpuMedian: UInt64 = 0
    package var cpuP99: UInt64 = 0
    /// Of the pushes whose sealed text was shown.
    package var openedCPUP99: UInt64 = 0
    /// CPU time of the whole process for one push, work after the answer included, in nanoseconds.
    package var cpuPerPush: UInt64 = 0
    /// RssAnon + RssShmem + VmSwap, in bytes: the highest seen, read after every 16th push.
    package var peakByteCount = 0
    /// Pushes whose sealed text was shown.
    package var openedCount = 0

    package init() {}

    package var line: String {
        [
            UInt64(pushCount), UInt64(handlerCallCount), median, p99, p999, maximum, cpuMedian, cpuP99, cpuPerPush,
            UInt64(peakByteCount), UInt64(openedCount), openedCPUP99,
        ]
        .map(String.init).joined(separator: " ")
    }

    package init?(line: String) {
        let numbers = line.split(separator: " ").compactMap { UInt64($0) }
        guard numbers.count == 12, numbers.allSatisfy({ $0 <= Int.max }) else { return nil }
        pushCount = Int(numbers[0])
        handlerCallCount = Int(numbers[1])
        (median, p99, p999, maximum) = (numbers[2], numbers[3], numbers[4], numbers[5])
        (cpuMedian, cpuP99, cpuPerPush) = (numbers[6], numbers[7], numbers[8])
        peakByteCount = Int(numbers[9])
        openedCount = Int(numbers[10])
        openedCPUP99 = numbers[11]
    }
}
