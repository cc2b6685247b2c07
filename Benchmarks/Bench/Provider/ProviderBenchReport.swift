/// Cost of sending. A process that measures itself prints it as one line.
package struct ProviderBenchReport: Sendable, Equatable {
    package let notificationCount: Int
    package let notAcceptedCount: Int
    package let failureCount: Int
    /// From the first notification to the last answer.
    package let nanoseconds: Int
    /// User and system time of the whole process, its start included.
    package let cpuNanoseconds: Int
    /// From the call of `send` to its return.
    package let medianNanoseconds: Int
    package let p99Nanoseconds: Int
    /// RssAnon + RssShmem + VmSwap, the highest reading.
    package let peakByteCount: Int
    /// Since the first notification; empty without the bench's own round trip.
    package let answersPerRoundTrip: [Int]

    package var notificationsPerSecond: Int {
        Int(Double(notificationCount) * 1e9 / Double(max(1, nanoseconds)))
    }

    package var cpuNanosecondsPerNotification: Int { cpuNanoseconds / max(1, notificationCount) }
}

extension ProviderBenchReport {
    /// Eight numbers, followed by those of the round trips.
    package var line: String {
        let numbers = [
            notificationCount, notAcceptedCount, failureCount, nanoseconds, cpuNanoseconds, medianNanoseconds,
            p99Nanoseconds, peakByteCount,
        ]
        return (numbers + answersPerRoundTrip).map { String($0) }.joined(separator: " ")
    }

    package init?(line: String) {
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        guard numbers.count >= 8 else { return nil }
        self.init(
            notificationCount: numbers[0],
            notAcceptedCount: numbers[1],
            failureCount: numbers[2],
            nanoseconds: numbers[3],
            cpuNanoseconds: numbers[4],
            medianNanoseconds: numbers[5],
            p99Nanoseconds: numbers[6],
            peakByteCount: numbers[7],
            answersPerRoundTrip: Array(numbers[8...])
        )
    }
}
