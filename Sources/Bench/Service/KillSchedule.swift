import Platform

/// When a relay is killed, life by life: the same moments for the same seed, in so far as they are counted and not timed.
package struct KillSchedule: Sendable {
    /// Counted from the start of a life.
    package enum Moment: Equatable, Sendable {
        case answers(Int)
        case arrivals(Int)
        case milliseconds(Int)
    }

    private static let millisecondsMax = 600

    private var random: SplitMix64
    private let countMax: Int

    /// - Parameters:
    ///   - seed: of the moments.
    ///   - countMax: of answers, and of pushes at APNs.
    package init(seed: UInt64, countMax: Int) {
        precondition(countMax >= 1)
        random = SplitMix64(seed: seed)
        self.countMax = countMax
    }

    /// The next life's end.
    package mutating func next() -> Moment {
        switch UInt8.random(in: 0..<5, using: &random) {
        case 0, 1: .answers(.random(in: 1...countMax, using: &random))
        case 2, 3: .arrivals(.random(in: 1...countMax, using: &random))
        default: .milliseconds(.random(in: 0...Self.millisecondsMax, using: &random))
        }
    }
}

/// In how many kills something was in each state, and how much of it in all.
package struct KillHistogram: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        case queued, sending, parked, accepted, delivered, dead, expired
    }

    package struct Row: Equatable, Sendable {
        package var killCount = 0
        package var notificationCount = 0
    }

    package private(set) var rows = [Row](repeating: Row(), count: State.allCases.count)
    package private(set) var killCount = 0

    package init() {}

    package subscript(state: State) -> Row { rows[Self.index(state)] }

    /// What one kill has found.
    ///
    /// - Parameter counts: notifications in each state; those that are not named are 0.
    package mutating func add(_ counts: [State: Int]) {
        killCount += 1
        for (state, count) in counts where count > 0 {
            rows[Self.index(state)].killCount += 1
            rows[Self.index(state)].notificationCount += count
        }
    }

    private static func index(_ state: State) -> Int { State.allCases.firstIndex(of: state) ?? 0 }
}
