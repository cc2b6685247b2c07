import Bench
import Envelope

/// `bench service`: the relay on one processor, driver and simulator on another.
struct ServiceBenchRun {
    static let options = [
        Option("--payload", "1k|4k", "service: records of RFC 8291, or sealed fields; 1k without it"),
        Option("--posts", "N", "service: how many POSTs of each load, 1000 to 100000000; 50000 without it"),
        Option("--recipients", "N", "service: of each POST, 1 to 1000; 1 without it"),
        Option("--devices", "N", "service: registered, 100 to 10000000; 10000 without it"),
        Option("--in-flight", "N", "service: POSTs that await their answers, 1 to 10000; 256 without it"),
        Option("--receipts", "PERCENT", "service: of the devices open theirs and say so, 0 to 100; 0 without it"),
        Option("--kills", "N", "service: kills the relay so often instead of timing it, 1 to 100000"),
        Option("--overload", "TIMES", "service: then posts so many times what it took before, 2 to 10"),
    ]

    private static let connectionCount = 4

    private let load: ServiceLoad
    private let overload: Int?
    private let killCount: Int?
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(CommandFailure) {
        var load = ServiceLoad()
        if let word = arguments.value("--payload") {
            guard let payload = ServiceLoad.Payload(rawValue: word) else {
                throw arguments.wrong("--payload is 1k or 4k")
            }
            load.payload = payload
        }
        load.recipientCount = try arguments.number("--recipients", 1...1_000) ?? 1
        let postCount = try arguments.number("--posts", 1_000...100_000_000) ?? 50_000
        load.notificationCount = postCount * load.recipientCount
        load.deviceCount = try arguments.number("--devices", 100...10_000_000) ?? 10_000
        guard load.recipientCount <= load.deviceCount else {
            throw arguments.wrong("--recipients cannot be more than --devices")
        }
        load.connectionCount = Self.connectionCount
        load.inFlightCount = max(1, (try arguments.number("--in-flight", 1...10_000) ?? 256) / Self.connectionCount)
        load.receiptPercent = try arguments.number("--receipts", 0...100) ?? 0
        overload = try arguments.number("--overload", 2...10)
        killCount = try arguments.number("--kills", 1...100_000)
        guard killCount == nil || load.receiptPercent == 0 && overload == nil else {
            throw arguments.wrong("--kills goes without --receipts and --overload")
        }
        self.load = load
        printsJSON = arguments.flag(.json)
    }

    /// For what `bench` times else.
    static func refuseOptions(of arguments: Arguments) throws(CommandFailure) {
        for option in options where arguments.value(option.name) != nil {
            throw arguments.wrong("\(option.name) is for service")
        }
    }

    func run() async throws(CommandFailure) {
        DescriptorLimit.raise()
        let folder = try TemporaryFolder("bench")
        let stage = try await ServiceBenchStage(load, folder: folder.path, stop: StopSignal(), isQuiet: printsJSON)
        do {
            if let killCount {
                try await ServiceKillRun(stage: stage, load: load, killCount: killCount).run()
            } else {
                try await measure(stage)
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw .failed("the relay could not be driven: \(error)")
        }
        await stage.apns.close()
    }

    // MARK: Measuring

    private func measure(_ stage: ServiceBenchStage) async throws {
        let relay = try stage.startRelay()
        defer { relay.stop() }
        let driver = try stage.driver(of: relay)
        // What is made once (connections, statements, memory) is not a notification's.
        var warmUp = load
        warmUp.notificationCount = min(load.notificationCount, max(load.recipientCount, 2_000))
        warmUp.notificationCount -= warmUp.notificationCount % load.recipientCount
        _ = try await driver.run(warmUp, first: 0)
        let first = warmUp.notificationCount

        let before = try ProcessReading(of: relay.processID)
        let report = try await driver.run(load, first: first)
        let after = try ProcessReading(of: relay.processID)
        try print("steady", report, before, after)
        guard let overload else { return }
        var flood = load
        let postsPerSecond = Self.perSecond(
            report.acceptedCount / load.recipientCount,
            max(report.acceptNanoseconds, report.deliveryNanoseconds)
        )
        flood.rate = postsPerSecond * overload
        let flooded = try await driver.run(flood, first: first + load.notificationCount)
        try print("overload", flooded, after, try ProcessReading(of: relay.processID))
    }

    private func print(
        _ name: String,
        _ report: ServiceLoadReport,
        _ before: ProcessReading,
        _ after: ProcessReading
    ) throws(CommandFailure) {
        let cpu = (after.cpuNanoseconds - before.cpuNanoseconds) / max(1, report.acceptedCount)
        let accepted = Self.perSecond(report.acceptedCount, report.acceptNanoseconds)
        let delivered = Self.perSecond(report.deliveredCount, report.deliveryNanoseconds)
        let statuses = report.statusCounts.sorted { $0.key < $1.key }
        guard !printsJSON else {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("load", name)
                writer.member("accepted", report.acceptedCount)
                writer.member("delivered", report.deliveredCount)
                writer.member("lost", report.lostCount)
                writer.member("duplicates", report.duplicateCount)
                writer.member("accepted-per-second", accepted)
                writer.member("delivered-per-second", delivered)
                writer.member("cpu-nanoseconds", cpu)
                writer.member("accept-median-nanoseconds", report.acceptLatency.medianNanoseconds)
                writer.member("accept-p99-nanoseconds", report.acceptLatency.p99Nanoseconds)
                writer.member("delivery-median-nanoseconds", report.deliveryLatency.medianNanoseconds)
                writer.member("delivery-p99-nanoseconds", report.deliveryLatency.p99Nanoseconds)
                writer.member("bytes-before", before.ownByteCount)
                writer.member("bytes-after", after.ownByteCount)
                writer.member("descriptors-before", before.descriptorCount)
                writer.member("descriptors-after", after.descriptorCount)
                writer.name("statuses")
                writer.object { writer in
                    for (status, count) in statuses { writer.member(String(status), count) }
                }
            }
            return try Output.print(String(decoding: writer.bytes, as: UTF8.self))
        }
        let answers = statuses.map { "\($0.key == 0 ? "none" : String($0.key)): \($0.value)" }.joined(separator: ", ")
        try Output.print(
            """
            \(name): accepted \(accepted)/s, at APNs \(delivered)/s, CPU \(cpu / 1_000) µs for each
              accept p50 \(Self.milliseconds(report.acceptLatency.medianNanoseconds)) ms, \
            p99 \(Self.milliseconds(report.acceptLatency.p99Nanoseconds)) ms; then to APNs \
            p50 \(Self.milliseconds(report.deliveryLatency.medianNanoseconds)) ms, \
            p99 \(Self.milliseconds(report.deliveryLatency.p99Nanoseconds)) ms
              answers \(answers); accepted \(report.acceptedCount), at APNs \(report.deliveredCount), \
            missing \(report.lostCount), again \(report.duplicateCount)
              memory \(before.ownByteCount / 1_000) kB before, \(after.ownByteCount / 1_000) kB after; \
            descriptors \(before.descriptorCount), \(after.descriptorCount)
            """
        )
    }

    private static func perSecond(_ count: Int, _ nanoseconds: Int) -> Int {
        Int(Double(count) * 1e9 / Double(max(1, nanoseconds)))
    }

    private static func milliseconds(_ nanoseconds: Int) -> String {
        let hundredths = nanoseconds / 10_000
        let rest = String(hundredths % 100)
        return "\(hundredths / 100)." + (rest.count == 1 ? "0" : "") + rest
    }
}
