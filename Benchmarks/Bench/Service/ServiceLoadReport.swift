package struct ServiceLoadReport: Equatable, Sendable {
    /// Notifications answered with 202, each once.
    package var acceptedCount = 0
    /// POSTs by the status of their answers; 0 without an answer.
    package var statusCounts: [Int: Int] = [:]
    /// Due POSTs that the relay did not take: it lagged with answers, or did not read.
    package var unsentCount = 0
    /// Notifications that reached APNs, each once, with or without an answer to their sender.
    package var deliveredCount = 0
    /// Accepted, and not at APNs at the end of the wait.
    package var missingCount = 0
    package var duplicateCount = 0
    /// From the first POST to the last 202, and to the last push at APNs.
    package var acceptNanoseconds = 0
    package var deliveryNanoseconds = 0
    /// From POST to 202, and from 202 to APNs.
    package var acceptLatency = LatencyFigures()
    package var deliveryLatency = LatencyFigures()

    package init() {}

    package var postCount: Int { statusCounts.values.reduce(0, +) }
    package var acceptedPerSecond: Int { Self.perSecond(acceptedCount, acceptNanoseconds) }
    package var deliveredPerSecond: Int { Self.perSecond(deliveredCount, deliveryNanoseconds) }

    package static func perSecond(_ count: Int, _ nanoseconds: Int) -> Int {
        Int(Double(count) * 1e9 / Double(max(1, nanoseconds)))
    }
}

package struct LatencyFigures: Equatable, Sendable {
    package var medianNanoseconds = 0
    package var p99Nanoseconds = 0

    package init() {}

    init(_ histogram: LatencyHistogram) {
        medianNanoseconds = Int(histogram.quantile(perMille: 500))
        p99Nanoseconds = Int(histogram.quantile(perMille: 990))
    }
}

package enum ServiceBenchError: Error, Equatable {
    case relayEnded
    /// Neither an answer nor a push for this long.
    case silence(seconds: Int, acceptedCount: Int, deliveredCount: Int)
    case stopped
}
