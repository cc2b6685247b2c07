import Bench
import CommandLineTool
import Envelope

/// Output of `sealedpush-bench service`: sentences for people, or an object a line for programs.
struct ServiceBenchText {
    let printsJSON: Bool

    func printStage(_ load: ServiceLoad, _ time: Duration, syncNanoseconds: Int?) throws(CommandError) {
        guard !printsJSON else {
            return try object { writer in
                writer.member("load", "devices")
                Self.writeSize(of: load, &writer)
                writer.member("milliseconds", Int(time / .milliseconds(1)))
                if let syncNanoseconds { writer.member("fdatasync-nanoseconds", syncNanoseconds) }
            }
        }
        let sync = syncNanoseconds.map { "\($0 / 1_000) µs" } ?? "unknown"
        let seconds = Self.hundredths(Int(time / .milliseconds(10)))
        let place = ServiceBenchStage.hasTwoProcessors ? "" : "; one processor for relay and driver"
        try Output.print(
            "\(Self.size(of: load)) registered in \(seconds) s; fdatasync of 4 KiB here: \(sync) (median)\(place)"
        )
    }

    // MARK: One load

    func print(_ name: String, _ figures: ServiceFigures) throws(CommandError) {
        let report = figures.report
        let share = figures.posted.share(since: figures.before)
        let driverShare = figures.posted.driverShare(since: figures.before)
        guard !printsJSON else {
            return try object { writer in
                writer.member("load", name)
                Self.write(report, &writer)
                writer.member("cpu-nanoseconds", figures.cpuNanoseconds)
                writer.member("disk-read-bytes", figures.diskReadByteCount)
                writer.member("bytes-before", figures.before.process.ownByteCount)
                writer.member("bytes-after", figures.after.process.ownByteCount)
                writer.member("descriptors-before", figures.before.process.descriptorCount)
                writer.member("descriptors-after", figures.after.process.descriptorCount)
                if let share {
                    writer.member("relay-percent", share.ownPercent)
                    writer.member("idle-percent", share.idlePercent)
                    writer.member("disk-percent", share.diskPercent)
                }
                if let driverShare {
                    writer.member("driver-percent", driverShare.ownPercent)
                    writer.member("driver-idle-percent", driverShare.idlePercent)
                }
                Self.write(report.statusCounts, &writer)
            }
        }
        let answers = Self.text(report.statusCounts)
        try Output.print(
            """
            \(name): accepted \(report.acceptedPerSecond)/s, at APNs \(report.deliveredPerSecond)/s, \
            CPU \(figures.cpuNanoseconds / 1_000) µs for each, \(figures.diskReadByteCount) bytes read from the disk
              accept \(Self.latency(report.acceptLatency)); then to APNs \(Self.latency(report.deliveryLatency))
              answers \(answers); notifications accepted \(report.acceptedCount), at APNs \(report.deliveredCount), \
            missing \(report.missingCount), again \(report.duplicateCount)
              memory \(figures.before.process.ownByteCount / 1_000) kB before, \
            \(figures.after.process.ownByteCount / 1_000) kB after; \
            descriptors \(figures.before.process.descriptorCount), \(figures.after.process.descriptorCount)
            """
        )
        if let share { try Output.print("  the relay's processor while it was posted to: relay \(Self.text(share))") }
        if let driverShare { try Output.print("  the other one: driver and simulator \(Self.text(driverShare))") }
        // A shorter time means nothing in steps of 10 ms.
        guard report.deliveryNanoseconds - figures.postNanoseconds > 500_000_000,
            let rest = figures.after.share(since: figures.posted)
        else { return }
        try Output.print("  and from then until the last push was at APNs: relay \(Self.text(rest))")
    }

    private static func size(of load: ServiceLoad) -> String {
        var text = "\(load.deviceCount) devices"
        if load.tenantCount > 1 { text += " of \(load.tenantCount) tenants" }
        if load.connectionCount != ServiceLoad().connectionCount { text += ", connections: \(load.connectionCount)" }
        return text
    }

    private static func writeSize(of load: ServiceLoad, _ writer: inout JSONWriter) {
        writer.member("devices", load.deviceCount)
        writer.member("tenants", load.tenantCount)
        writer.member("connections", load.connectionCount)
    }

    static func text(_ share: ProcessorShare) -> String {
        "\(share.ownPercent) %, others \(share.otherPercent) %, "
            + "waiting for the disk \(share.diskPercent) %, idle \(share.idlePercent) %"
            + (share.stolenPercent > 0 ? ", another machine's \(share.stolenPercent) %" : "")
    }

    static func text(_ statusCounts: [Int: Int]) -> String {
        statusCounts.sorted { $0.key < $1.key }
            .map { "\($0.key == 0 ? "none" : String($0.key)): \($0.value)" }
            .joined(separator: ", ")
    }

    static func write(_ statusCounts: [Int: Int], _ writer: inout JSONWriter) {
        writer.name("statuses")
        writer.object { writer in
            for (status, count) in statusCounts.sorted(by: { $0.key < $1.key }) { writer.member(String(status), count) }
        }
    }

    private static func write(_ report: ServiceLoadReport, _ writer: inout JSONWriter) {
        writer.member("accepted", report.acceptedCount)
        writer.member("delivered", report.deliveredCount)
        writer.member("missing", report.missingCount)
        writer.member("duplicates", report.duplicateCount)
        writer.member("accepted-per-second", report.acceptedPerSecond)
        writer.member("delivered-per-second", report.deliveredPerSecond)
        writer.member("accept-median-nanoseconds", report.acceptLatency.medianNanoseconds)
        writer.member("accept-p99-nanoseconds", report.acceptLatency.p99Nanoseconds)
        writer.member("delivery-median-nanoseconds", report.deliveryLatency.medianNanoseconds)
        writer.member("delivery-p99-nanoseconds", report.deliveryLatency.p99Nanoseconds)
    }

    // MARK: Other findings

    /// Prints the growth of memory and descriptors between the middle of the load and its end.
    func printFlatness(_ samples: [ProcessReading]) throws(CommandError) {
        guard let first = samples.first, let last = samples.last else { return }
        let middle = samples[samples.count / 2]
        let flatness = Flatness(middle: middle, last: last)
        guard !printsJSON else {
            return try object { writer in
                writer.member("load", "flatness")
                writer.name("bytes")
                writer.array { writer in for sample in samples { writer.integer(Int64(sample.ownByteCount)) } }
                writer.name("descriptors")
                writer.array { writer in for sample in samples { writer.integer(Int64(sample.descriptorCount)) } }
                writer.member("is-memory-flat", flatness.isMemoryFlat)
                writer.member("are-descriptors-flat", flatness.areDescriptorsFlat)
            }
        }
        try Output.print(
            """
              memory at the beginning \(first.ownByteCount / 1_000) kB, in the middle \(middle.ownByteCount / 1_000) kB, \
            at the end \(last.ownByteCount / 1_000) kB: \(flatness.isMemoryFlat ? "flat" : "not flat")
              descriptors \(first.descriptorCount), \(middle.descriptorCount), \(last.descriptorCount): \
            \(flatness.areDescriptorsFlat ? "flat" : "not flat")
            """
        )
    }

    func printReceipts(
        posted: Int,
        taken: Int,
        good: Int,
        nanoseconds: Int,
        cpuNanoseconds: Int
    ) throws(CommandError) {
        let perSecond = ServiceLoadReport.perSecond(taken, nanoseconds)
        let cost = cpuNanoseconds / max(1, taken)
        guard !printsJSON else {
            return try object { writer in
                writer.member("load", "receipts")
                writer.member("posted", posted)
                writer.member("taken", taken)
                writer.member("good", good)
                writer.member("taken-per-second", perSecond)
                writer.member("cpu-nanoseconds", cost)
            }
        }
        try Output.print(
            "receipts: posted \(posted), taken \(taken), good \(good); \(perSecond)/s, CPU \(cost / 1_000) µs for each"
        )
    }

    func printRepeats(_ verifier: RepeatVerifier) throws(CommandError) {
        guard printsJSON else { return try Output.print(Self.sentence(verifier)) }
        try object { writer in
            writer.member("load", "repeats")
            writer.member("duplicates", verifier.repeatedCount)
            writer.member("needless-duplicates", verifier.needlessCount)
            writer.name("causes")
            writer.object { writer in
                for (cause, count) in Self.sorted(verifier.causes) { writer.member(cause, count) }
            }
        }
    }

    static func sentence(_ verifier: RepeatVerifier) -> String {
        let text = "again at APNs \(verifier.repeatedCount), of these without need \(verifier.needlessCount)"
        guard !verifier.causes.isEmpty else { return text }
        let causes = sorted(verifier.causes).map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return "\(text) (attempts without an answer: \(causes))"
    }

    private static func sorted(_ causes: [String: Int]) -> [(key: String, value: Int)] {
        causes.sorted { $0.key < $1.key }
    }

    // MARK: Relays in turns

    func print(_ report: ServiceComparedReport) throws(CommandError) {
        guard !printsJSON else {
            return try object { writer in
                writer.member("load", "in-turns")
                writer.member("engine", report.engine)
                Self.writeSize(of: report.load, &writer)
                writer.member("accepted", report.acceptedCount)
                writer.member("missing", report.missingCount)
                writer.member("disk-read-bytes", report.diskReadByteCount)
                writer.member("bytes-after", report.memoryByteCount)
                writer.name("cpu-nanoseconds")
                writer.array { writer in for cost in report.costs { writer.integer(Int64(cost)) } }
                writer.name("database-cpu-nanoseconds")
                writer.array { writer in for cost in report.databaseCosts { writer.integer(Int64(cost)) } }
            }
        }
        let (least, most) = (report.costs.min() ?? 0, report.costs.max() ?? 0)
        try Output.print(
            """
            \(report.engine), \(Self.size(of: report.load)), \(report.costs.count) rounds: CPU \(report.medianCost / 1_000) µs for each \
            (\(least / 1_000) to \(most / 1_000)), the database's \(report.medianDatabaseCost / 1_000) µs; \
            accept \(Self.latency(report.medianAcceptLatency)); accepted \(report.acceptedCount), missing \(report.missingCount); \
            \(report.diskReadByteCount / 1_000) kB read from the disk; memory \(report.memoryByteCount / 1_000) kB
            """
        )
    }

    func print(
        _ comparison: TurnComparison,
        of report: ServiceComparedReport,
        to first: ServiceComparedReport
    ) throws(CommandError) {
        guard !printsJSON else {
            return try object { writer in
                writer.member("load", "ratio")
                Self.writeSize(of: report.load, &writer)
                writer.member("percent", comparison.medianPercent)
                writer.member("least-percent", comparison.leastPercent)
                writer.member("most-percent", comparison.mostPercent)
            }
        }
        try Output.print(
            "CPU for each with \(Self.size(of: report.load)) (\(report.engine)): "
                + "\(Self.hundredths(comparison.medianPercent)) times that with \(Self.size(of: first.load)), the median of rounds in turns "
                + "(\(Self.hundredths(comparison.leastPercent)) to \(Self.hundredths(comparison.mostPercent)))"
        )
    }

    // MARK: Words

    func object(_ members: (inout JSONWriter) -> Void) throws(CommandError) {
        var writer = JSONWriter()
        writer.object(members)
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }

    static func latency(_ figures: LatencyFigures) -> String {
        "p50 \(hundredths(figures.medianNanoseconds / 10_000)) ms, p99 \(hundredths(figures.p99Nanoseconds / 10_000)) ms"
    }

    private static func hundredths(_ count: Int) -> String {
        let rest = String(count % 100)
        return "\(count / 100)." + (rest.count == 1 ? "0" : "") + rest
    }
}
