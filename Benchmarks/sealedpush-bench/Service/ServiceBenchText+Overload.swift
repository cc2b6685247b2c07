import Bench
import CommandLineTool
import Envelope

extension ServiceBenchText {
    /// Prints all turns of one kind: medians of times, sums of counts.
    func print(_ name: String, _ report: ServiceTurnsReport) throws(CommandError) {
        let accepted = report.all(\.acceptedPerSecond)
        guard !printsJSON else {
            return try object { writer in
                writer.member("load", name)
                writer.member("accepted", report.sum(\.report.acceptedCount))
                writer.member("delivered", report.sum(\.report.deliveredCount))
                writer.member("missing", report.sum(\.report.missingCount))
                writer.member("duplicates", report.sum(\.report.duplicateCount))
                writer.member("unsent", report.sum(\.report.unsentCount))
                writer.member("accepted-per-second", report.median(\.acceptedPerSecond))
                writer.member("delivered-per-second", report.median(\.deliveredPerSecond))
                writer.member("posted-per-second", report.median(\.postedPerSecond))
                writer.member("cpu-nanoseconds", report.median(\.cpuNanoseconds))
                writer.member("accept-median-nanoseconds", report.median(\.report.acceptLatency.medianNanoseconds))
                writer.member("accept-p99-nanoseconds", report.median(\.report.acceptLatency.p99Nanoseconds))
                writer.member("delivery-median-nanoseconds", report.median(\.report.deliveryLatency.medianNanoseconds))
                writer.member("delivery-p99-nanoseconds", report.median(\.report.deliveryLatency.p99Nanoseconds))
                if let share = report.share { writer.member("idle-percent", share.idlePercent) }
                if let share = report.driverShare { writer.member("driver-idle-percent", share.idlePercent) }
                Self.write(report.statusCounts, &writer)
                writer.name("turns")
                writer.array { writer in for count in accepted { writer.integer(Int64(count)) } }
            }
        }
        try Output.print(
            """
            \(name), \(accepted.count) turns: accepted \(report.median(\.acceptedPerSecond))/s \
            (\(accepted.min() ?? 0) to \(accepted.max() ?? 0)), at APNs \(report.median(\.deliveredPerSecond))/s, \
            CPU \(report.median(\.cpuNanoseconds) / 1_000) µs for each
              accept \(latency(report, \.report.acceptLatency)); then to APNs \(latency(report, \.report.deliveryLatency))
              answers \(Self.text(report.statusCounts)); notifications accepted \(report.sum(\.report.acceptedCount)), \
            at APNs \(report.sum(\.report.deliveredCount)), missing \(report.sum(\.report.missingCount)), \
            again \(report.sum(\.report.duplicateCount))
            """
        )
        if let share = report.share { try Output.print("  the relay's processor: relay \(Self.text(share))") }
        if let share = report.driverShare {
            try Output.print("  the other one: driver and simulator \(Self.text(share))")
        }
    }

    private func latency(_ report: ServiceTurnsReport, _ figures: (ServiceTurn) -> LatencyFigures) -> String {
        var medians = LatencyFigures()
        medians.medianNanoseconds = report.median { figures($0).medianNanoseconds }
        medians.p99Nanoseconds = report.median { figures($0).p99Nanoseconds }
        return Self.latency(medians)
    }

    /// Prints the goodput under overload.
    ///
    /// - Parameter capacity: The turns around those of overload.
    func printGoodput(
        _ overload: ServiceTurnsReport,
        times: Int,
        between capacity: ServiceTurnsReport
    ) throws(CommandError) {
        func comparison(_ number: (ServiceTurn) -> Int) -> TurnComparison {
            TurnComparison(of: overload.all(number), to: TurnComparison.betweenNeighbours(capacity.all(number)))
        }
        let accepted = comparison(\.acceptedPerSecond)
        let delivered = comparison(\.deliveredPerSecond)
        // Comparable even where other machines take the processor.
        let costs = TurnComparison(
            of: TurnComparison.betweenNeighbours(capacity.all(\.cpuNanoseconds)),
            to: overload.all(\.cpuNanoseconds)
        )
        let posts = overload.sum(\.report.postCount)
        let (refused, unsent) = (overload.refusedCount, overload.sum(\.report.unsentCount))
        guard !printsJSON else {
            return try object { writer in
                writer.member("load", "goodput")
                writer.member("times", times)
                writer.member("turns", overload.turns.count)
                writer.member("percent", accepted.medianPercent)
                writer.member("least-percent", accepted.leastPercent)
                writer.member("lower-quartile-percent", accepted.lowerQuartilePercent)
                writer.member("upper-quartile-percent", accepted.upperQuartilePercent)
                writer.member("most-percent", accepted.mostPercent)
                writer.member("percent-at-apns", delivered.medianPercent)
                writer.member("percent-by-processor-time", costs.medianPercent)
                writer.member("posts", posts)
                writer.member("refused", refused)
                writer.member("unsent", unsent)
            }
        }
        try Output.print(
            """
            goodput \(accepted.medianPercent) % of the turns beside it, the median of \(overload.turns.count) \
            (half of them \(accepted.lowerQuartilePercent) to \(accepted.upperQuartilePercent), \
            all \(accepted.leastPercent) to \(accepted.mostPercent)); \
            at APNs \(delivered.medianPercent) %, by processor time \(costs.medianPercent) %
              of \(posts + unsent) POSTs, \(times) times the accepted rate, \(posts) were sent, \(refused) of these not \
            accepted; \(unsent) were not sent: the relay had as many unanswered as its connections may, or did not read
            """
        )
    }
}
