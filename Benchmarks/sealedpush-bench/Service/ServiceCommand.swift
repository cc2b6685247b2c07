import Bench
import ChildProcesses
import CommandLineTool
import Envelope

/// The relay on one processor, driver and simulator on another.
struct ServiceCommand: Command {
    static let name = "service"
    static let summary = "times the relay, overloads it, or kills it again and again"
    static let operands = ""
    private static let endpointsOption = Option(
        flag: "--endpoints",
        "through an endpoint of each device, in turns with POST /v1/notifications; with several --devices, alone"
    )
    static let options = [
        Option("--payload", "1k|4k", "records of RFC 8291, or sealed fields; 1k without it"),
        Option(
            "--posts",
            "N",
            "POSTs of each load, 100 to 100000000; without it as many as make 50000 notifications"
        ),
        Option("--seconds", "N", "the length of each load instead, 1 to 86400; also checks that memory is flat"),
        Option("--recipients", "N", "of each POST, 1 to 1000; 1 without it. POSTs times these are notifications"),
        Option(
            "--devices",
            "N[,N…]",
            "registered, 100 to 10000000; 10000 without it. With several: in turns, compared"
        ),
        Option("--tenants", "N[,N…]", "that share them, 1 to 1000; 1 without it. With several: in turns, compared"),
        Option("--connections", "N[,N…]", "to the relay, 1 to 1000; 4 without it. With several: in turns, compared"),
        Option("--in-flight", "N", "POSTs that await their answers, 1 to 10000; 256 without it"),
        Option("--rate", "N", "POSTs a second, whatever is answered, 1 to 1000000"),
        Option("--receipts", "PERCENT", "of the devices open theirs and send a receipt, 0 to 100; 0 without it"),
        Option("--kills", "N", "the kills of the relay, instead of timing it, 1 to 100000"),
        Option("--seed", "N", "of the moments of --kills; random without it"),
        endpointsOption,
        Option(
            "--strangers",
            "N",
            "pushes a second beside the load, through 1000 of the devices' endpoints, 1 to 100000"
        ),
        Option(
            "--database",
            "FILE",
            "the URL of an empty database of PostgreSQL, in turns with SQLite"
        ),
        Option("--overload", "TIMES", "2 to 10 times the relay's capacity, in turns with its capacity"),
        FetchCommand.keysOption, .json,
    ]
    static let example = """
        Example:
          sealedpush-bench service --overload 3
          sealedpush-bench service --devices 10000,1000000
          sealedpush-bench service --tenants 1,10,1000 --posts 90000
          sealedpush-bench service --kills 10
          sealedpush-bench service --endpoints
          sealedpush-bench service --devices 10000,1000000 --endpoints
          sealedpush-bench service --seconds 20 --rate 1000 --strangers 5000

        'sealedpushd' runs on one processor, the driver and a simulator on another; CPU is the relay's.
        Goodput of --overload is the number accepted in a turn, beside the mean of the turns before and after it, which
        post the next one after each answer. Each turn is timed for one second, after half a second to warm up.
        Exit code 1 of --kills says that something acknowledged was lost, or sent again without need.
        """

    private static let sizes = "--devices, --tenants and --connections"
    private static let postsOfALife = 400

    /// One, or several of which only devices, tenants or connections differ.
    private let loads: [ServiceLoad]
    private let comparesEndpoints: Bool
    private let databaseURLFile: String?
    private let overload: Int?
    private let killCount: Int?
    private let killPostCount: Int
    private let seed: UInt64
    private let keys: String
    private let text: ServiceBenchText

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        var load = ServiceLoad()
        if let word = arguments.value("--payload") {
            guard let payload = ServiceLoad.Payload(rawValue: word) else {
                throw arguments.wrong("--payload must be 1k or 4k")
            }
            load.payload = payload
        }
        load.recipientCount = try arguments.number("--recipients", 1...1_000) ?? 1
        killCount = try arguments.number("--kills", 1...100_000)
        let posts = try arguments.number("--posts", 100...100_000_000)
        killPostCount = posts ?? (killCount ?? 0) * Self.postsOfALife
        load.length = .posts(posts ?? killCount.map { $0 * Self.postsOfALife } ?? max(1, 50_000 / load.recipientCount))
        if let seconds = try arguments.number("--seconds", 1...86_400) {
            guard posts == nil else { throw arguments.wrong("--posts or --seconds, not both") }
            load.length = .time(.seconds(seconds))
            load.backlogMax = 20_000
        }
        let inFlightCount = try arguments.number("--in-flight", 1...10_000) ?? 256
        load.rate = try arguments.number("--rate", 1...1_000_000)
        load.receiptPercent = try arguments.number("--receipts", 0...100) ?? 0
        overload = try arguments.number("--overload", 2...10)
        if killCount != nil {
            let others = ["--receipts", "--overload", "--recipients", "--seconds", "--rate", "--in-flight"]
            for name in others where arguments.value(name) != nil {
                throw arguments.wrong("--kills goes without \(name)")
            }
            load = ServiceKillRun.load(load)
        } else if arguments.value("--seed") != nil {
            throw arguments.wrong("--seed goes only with --kills")
        }
        load.isThroughEndpoints = arguments.flag(Self.endpointsOption)
        load.strangersRate = try arguments.number("--strangers", 1...100_000)
        loads = try Self.loads(load, inFlightCount: inFlightCount, arguments)
        comparesEndpoints = load.isThroughEndpoints && loads.count == 1
        if load.isThroughEndpoints {
            let others = ["--kills", "--overload", "--recipients", "--rate", "--receipts", "--payload", "--strangers"]
            for name in others where arguments.value(name) != nil {
                throw arguments.wrong("--endpoints goes without \(name)")
            }
        }
        databaseURLFile = arguments.value("--database")
        if databaseURLFile != nil {
            for name in ["--kills", "--overload"] where arguments.value(name) != nil {
                throw arguments.wrong("--database goes without \(name)")
            }
            guard loads.count == 1, !comparesEndpoints else {
                throw arguments.wrong("--database goes with one size, without --endpoints")
            }
        }
        if loads.count > 1 {
            for name in ["--kills", "--overload", "--seconds", "--receipts"] where arguments.value(name) != nil {
                throw arguments.wrong("\(name) goes with one number of \(Self.sizes)")
            }
        }
        if overload != nil {
            // Its turns have a fixed time, and set the rate.
            for name in ["--rate", "--posts", "--receipts"] where arguments.value(name) != nil {
                throw arguments.wrong("--overload goes without \(name)")
            }
        }
        seed = UInt64(try arguments.number("--seed", 0...Int(Int32.max)) ?? .random(in: 0...Int(Int32.max)))
        keys = arguments.value("--keys") ?? "keys-example"
        text = ServiceBenchText(printsJSON: arguments.flag(.json))
    }

    /// - Returns: One load, or one of each size.
    private static func loads(
        _ load: ServiceLoad,
        inFlightCount: Int,
        _ arguments: Arguments
    ) throws(CommandError) -> [ServiceLoad] {
        let devices = try numbers("--devices", 100...10_000_000, arguments) ?? [load.deviceCount]
        let tenants = try numbers("--tenants", 1...1_000, arguments) ?? [load.tenantCount]
        let connections = try numbers("--connections", 1...1_000, arguments) ?? [load.connectionCount]
        guard [devices, tenants, connections].count(where: { $0.count > 1 }) <= 1 else {
            throw arguments.wrong("several numbers go with one of \(sizes)")
        }
        guard devices.allSatisfy({ load.recipientCount <= $0 }) else {
            throw arguments.wrong("--recipients cannot be more than --devices")
        }
        if arguments.value("--tenants") != nil {
            let others = ["--kills", "--overload", "--recipients", "--rate", "--receipts", "--database", "--strangers"]
            for name in others where arguments.value(name) != nil {
                throw arguments.wrong("--tenants goes without \(name)")
            }
            guard !load.isThroughEndpoints else { throw arguments.wrong("--tenants goes without --endpoints") }
        }
        var loads: [ServiceLoad] = []
        // Only one of them has several.
        for index in 0..<max(devices.count, tenants.count, connections.count) {
            var load = load
            load.deviceCount = devices[min(index, devices.count - 1)]
            load.tenantCount = tenants[min(index, tenants.count - 1)]
            load.connectionCount = connections[min(index, connections.count - 1)]
            load.inFlightCount = max(1, inFlightCount / load.connectionCount)
            loads.append(load)
        }
        return loads
    }

    private static func numbers(
        _ name: String,
        _ range: ClosedRange<Int>,
        _ arguments: Arguments
    ) throws(CommandError) -> [Int]? {
        guard let text = arguments.value(name) else { return nil }
        var numbers: [Int] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let number = Int(word), range.contains(number) else {
                throw arguments.wrong(
                    "\(name) must be a number from \(range.lowerBound) to \(range.upperBound), or several with commas"
                )
            }
            numbers.append(number)
        }
        return numbers
    }

    func run() async throws(CommandError) {
        Optimization.warnIfMissing()
        DescriptorLimit.raise()
        try await StopSignal.cancelsWaiting { [self] stop in
            do throws(CommandError) {
                return .success(try await run(stop))
            } catch {
                return .failure(Task.isCancelled ? .failed("stopped") : error)
            }
        }
    }

    private func run(_ stop: StopSignal) async throws(CommandError) {
        let folder = try TemporaryFolder("bench")
        var stages: [ServiceBenchStage] = []
        do {
            var loads = loads
            if comparesEndpoints, var plain = loads.first {
                plain.isThroughEndpoints = false
                loads.insert(plain, at: 0)
            }
            var files: [String?] = loads.map { _ in nil }
            if let databaseURLFile, let load = loads.first {
                loads.append(load)
                files.append(databaseURLFile)
            }
            for (load, file) in zip(loads, files) {
                let stage = try await stage(load, in: try folder.make("\(stages.count)"), file, stop: stop)
                stages.append(stage)
                try text.printStage(
                    load,
                    try await stage.fill(),
                    syncNanoseconds: DiskSync.medianNanoseconds(in: folder.path)
                )
            }
            try await run(on: stages)
        } catch let failure as CommandError {
            for stage in stages { await stage.close() }
            throw failure
        } catch {
            for stage in stages { await stage.close() }
            throw .failed("the relay's store could not be used: \(error)")
        }
        for stage in stages { await stage.close() }
    }

    private func run(on stages: [ServiceBenchStage]) async throws {
        if let killCount {
            let run = ServiceKillRun(
                stage: stages[0],
                killCount: killCount,
                postCount: killPostCount,
                seed: seed,
                printsJSON: text.printsJSON
            )
            try await run.run()
        } else if stages.count > 1 {
            try await ServiceComparedRun(stages, text).run()
        } else if let overload {
            try await ServiceOverloadRun(stages[0], times: overload, text).run()
        } else {
            try await ServiceTimedRun(stages[0], text).run()
        }
    }

    private func stage(
        _ load: ServiceLoad,
        in folder: String,
        _ databaseURLFile: String?,
        stop: StopSignal
    ) async throws(CommandError) -> ServiceBenchStage {
        try await ServiceBenchStage(load, keys: keys, folder: folder, databaseURLFile: databaseURLFile, stop: stop)
    }
}
