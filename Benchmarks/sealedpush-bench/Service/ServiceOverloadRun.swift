import Bench
import CommandLineTool

/// One relay under its capacity and under a multiple of it, in turns: the compared times lie within seconds, as the
/// machine may be twice as fast in one minute as in the next.
struct ServiceOverloadRun {
    /// Refusals need more load than one connection holds.
    private static let floodConnectionCount = 16
    private static let turnCount = 15
    /// Maximum of accepted notifications not yet at APNs, in a turn at capacity.
    private static let backlogMax = 20_000

    private let stage: ServiceBenchStage
    private let times: Int
    private let turnCount: Int
    private let text: ServiceBenchText

    /// - Parameters:
    ///   - stage: Filled. A timed load has as many turns as fit into it.
    ///   - times: Overload as a multiple of the capacity.
    init(_ stage: ServiceBenchStage, times: Int, _ text: ServiceBenchText) {
        self.stage = stage
        self.times = times
        self.text = text
        if case .time(let time) = stage.load.length {
            turnCount = max(1, Int(time / (ServiceBenchRelay.turnTime * 2)))
        } else {
            turnCount = Self.turnCount
        }
    }

    /// Throws also a failure if the relay repeated a push needlessly.
    func run() async throws { try await stage.withRelay(text, measure) }

    private func measure(_ relay: ServiceBenchRelay) async throws -> ServiceTally {
        var load = stage.load
        load.backlogMax = Self.backlogMax
        let warmUp = try await relay.warmUp(load)
        var capacity = ServiceTurnsReport()
        var overload = ServiceTurnsReport()
        var last = try await relay.turn(load, from: warmUp.next, after: warmUp.tally)
        capacity.add(last)
        for turn in 0..<turnCount {
            progress(2 * turn + 1)
            last = try await relay.turn(flood(last), from: last.next, after: last.tally)
            overload.add(last)
            progress(2 * turn + 2)
            last = try await relay.turn(load, from: last.next, after: last.tally)
            capacity.add(last)
        }
        progress(2 * turnCount + 1)
        try text.print("capacity", capacity)
        try text.print("overload", overload)
        try text.printGoodput(overload, times: times, between: capacity)
        if case .time = stage.load.length { try text.printFlatness(capacity.processes) }
        return last.tally
    }

    /// A multiple of the previous turn's accepted rate.
    private func flood(_ capacity: ServiceTurn) -> ServiceLoad {
        var load = stage.load
        load.rate = max(1, capacity.acceptedPerSecond / load.recipientCount * times)
        load.backlogMax = nil
        load.connectionCount = Self.floodConnectionCount
        return load
    }

    private func progress(_ count: Int) {
        let all = 2 * turnCount + 1
        Output.progress("turn \(count) of \(all)", isLast: count == all)
    }
}

struct ServiceTurnsReport {
    private(set) var turns: [ServiceTurn] = []

    mutating func add(_ turn: ServiceTurn) { turns.append(turn) }

    func all(_ number: (ServiceTurn) -> Int) -> [Int] { turns.map(number) }
    func sum(_ number: (ServiceTurn) -> Int) -> Int { turns.map(number).reduce(0, +) }
    func median(_ number: (ServiceTurn) -> Int) -> Int { turns.map(number).sorted()[turns.count / 2] }

    var statusCounts: [Int: Int] {
        turns.reduce(into: [:]) { counts, turn in counts.merge(turn.report.statusCounts, uniquingKeysWith: +) }
    }

    var refusedCount: Int { statusCounts.filter { $0.key != 202 }.values.reduce(0, +) }

    /// Share of the relay's processor; nil if it is bound to none.
    var share: ProcessorShare? { Self.mean(turns.map { $0.ended.reading.share(since: $0.began.reading) }) }
    var driverShare: ProcessorShare? { Self.mean(turns.map { $0.ended.reading.driverShare(since: $0.began.reading) }) }

    var processes: [ProcessReading] { turns.map(\.ended.reading.process) }

    private static func mean(_ shares: [ProcessorShare?]) -> ProcessorShare? {
        let shares = shares.compactMap(\.self)
        return shares.isEmpty ? nil : .mean(shares)
    }
}
