import Bench
import CommandLineTool
import Transport

/// One relay that is asked in turns for what it takes and for several times as much: what is compared lies within seconds, on a
/// machine that is twice as fast in one minute as in the next.
struct ServiceOverloadRun {
    /// A relay that is to refuse something has to see more than one connection holds.
    private static let floodConnectionCount = 16
    private static let turnCount = 15
    /// Notifications that are accepted and not at APNs, in a turn that asks for what the relay takes.
    private static let backlogMax = 20_000

    private let stage: ServiceBenchStage
    private let times: Int
    private let turnCount: Int
    private let text: ServiceBenchText

    /// - Parameters:
    ///   - stage: filled. A load of some time has as many turns as find room in it.
    ///   - times: what the relay takes, so often.
    ///   - text: where results go.
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

    /// - Throws: what a process says; why a load had no end; a failure where the relay did again what needs no repeating.
    func run() async throws { try await stage.withRelay(text, measure) }

    /// - Returns: the last turn's tally.
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

    /// So many times what was taken in the turn before.
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

/// What the turns of one kind came to.
struct ServiceTurnsReport {
    private(set) var turns: [ServiceTurn] = []

    mutating func add(_ turn: ServiceTurn) { turns.append(turn) }

    func all(_ number: (ServiceTurn) -> Int) -> [Int] { turns.map(number) }
    func sum(_ number: (ServiceTurn) -> Int) -> Int { turns.map(number).reduce(0, +) }
    func median(_ number: (ServiceTurn) -> Int) -> Int { turns.map(number).sorted()[turns.count / 2] }

    /// POSTs by the status of their answers.
    var statusCounts: [Int: Int] {
        turns.reduce(into: [:]) { counts, turn in counts.merge(turn.report.statusCounts, uniquingKeysWith: +) }
    }

    var refusedCount: Int { statusCounts.filter { $0.key != 202 }.values.reduce(0, +) }

    /// Of the relay's processor; nil where it is held to none.
    var share: ProcessorShare? { Self.mean(turns.map { $0.ended.reading.share(since: $0.began.reading) }) }
    /// Of the other one.
    var driverShare: ProcessorShare? { Self.mean(turns.map { $0.ended.reading.driverShare(since: $0.began.reading) }) }

    /// The relay at the end of each timed part.
    var processes: [ProcessReading] { turns.map(\.ended.reading.process) }

    private static func mean(_ shares: [ProcessorShare?]) -> ProcessorShare? {
        let shares = shares.compactMap(\.self)
        return shares.isEmpty ? nil : .mean(shares)
    }
}
