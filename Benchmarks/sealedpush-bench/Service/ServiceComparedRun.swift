import Bench
import ChildProcesses
import CommandLineTool

/// Relays of several sizes, under the same load in turns: a slow minute of the machine then hits all of
/// them alike.
struct ServiceComparedRun {
    private static let roundCount = 15

    private let stages: [ServiceBenchStage]
    private let text: ServiceBenchText

    /// - Parameter stages: Two or more, filled; the first is the reference.
    init(_ stages: [ServiceBenchStage], _ text: ServiceBenchText) {
        self.stages = stages
        self.text = text
    }

    /// Throws also a failure if a relay repeated a push needlessly.
    func run() async throws {
        var contestants: [Contestant] = []
        // No effect on stopped ones.
        defer { for contestant in contestants { contestant.relay.process.crash() } }
        for stage in stages {
            contestants.append(Contestant(stage, try stage.startRelay(), roundCount: Self.roundCount))
        }
        for index in contestants.indices { try await contestants[index].warmUp() }
        for round in 0..<Self.roundCount {
            for place in contestants.indices {
                // Rotates, so that no relay always follows the same one.
                try await contestants[(place + round) % contestants.count].post()
            }
        }
        for contestant in contestants {
            contestant.relay.process.stop()
            try text.print(contestant.report)
            try await contestant.judge(text)
        }
        for contestant in contestants.dropFirst() {
            try text.print(
                TurnComparison(of: contestant.report.costs, to: contestants[0].report.costs),
                of: contestant.report,
                to: contestants[0].report
            )
        }
    }
}

private struct Contestant {
    private let stage: ServiceBenchStage
    let relay: ServiceBenchRelay
    private var load: ServiceLoad
    private var last: ServicePosted?
    private(set) var report: ServiceComparedReport

    init(_ stage: ServiceBenchStage, _ relay: ServiceBenchRelay, roundCount: Int) {
        self.stage = stage
        self.relay = relay
        load = stage.load
        if case .posts(let count) = load.length { load.length = .posts(max(1, count / roundCount)) }
        report = ServiceComparedReport(load, engine: stage.engine)
    }

    mutating func warmUp() async throws { last = try await posted { try await $0.warmUp($1) } }

    mutating func post() async throws {
        let earlier = last
        let posted = try await posted { try await $0.post($1, after: earlier) }
        report.add(posted.figures)
        last = posted
    }

    private func posted(
        _ body: (ServiceBenchRelay, ServiceLoad) async throws -> ServicePosted
    ) async throws -> ServicePosted {
        do { return try await body(relay, load) } catch { throw relay.failure(error) }
    }

    func judge(_ text: ServiceBenchText) async throws {
        if let last { try await stage.judge(last.tally, text) }
    }
}

struct ServiceComparedReport {
    let load: ServiceLoad
    let engine: String
    /// Of the database's processes, for each notification, round by round.
    private(set) var databaseCosts: [Int] = []
    private(set) var acceptLatencies: [LatencyFigures] = []
    /// Nanoseconds of the relay's processor for each notification, round by round.
    private(set) var costs: [Int] = []
    private(set) var acceptedCount = 0
    private(set) var missingCount = 0
    private(set) var diskReadByteCount = 0
    private(set) var memoryByteCount = 0

    init(_ load: ServiceLoad, engine: String) {
        self.load = load
        self.engine = engine
    }

    mutating func add(_ figures: ServiceFigures) {
        costs.append(figures.cpuNanoseconds)
        databaseCosts.append(figures.databaseNanoseconds)
        acceptLatencies.append(figures.report.acceptLatency)
        acceptedCount += figures.report.acceptedCount
        missingCount += figures.report.missingCount
        diskReadByteCount += figures.after.process.diskReadByteCount - figures.before.process.diskReadByteCount
        memoryByteCount = figures.after.process.ownByteCount
    }

    var medianCost: Int { costs.sorted()[costs.count / 2] }
    var medianDatabaseCost: Int { databaseCosts.sorted()[databaseCosts.count / 2] }
    /// Of the round in the middle.
    var medianAcceptLatency: LatencyFigures {
        acceptLatencies.sorted { $0.p99Nanoseconds < $1.p99Nanoseconds }[acceptLatencies.count / 2]
    }
}
