import Platform

/// Moments at which a relay is killed. The seed repeats them, as far as they are counted and not timed.
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

    /// - Parameter countMax: Maximum of answers, and of pushes at APNs.
    package init(seed: UInt64, countMax: Int) {
        precondition(countMax >= 1)
        random = SplitMix64(seed: seed)
        self.countMax = countMax
    }

    package mutating func next() -> Moment {
        switch UInt8.random(in: 0..<5, using: &random) {
        case 0, 1: .answers(.random(in: 1...countMax, using: &random))
        case 2, 3: .arrivals(.random(in: 1...countMax, using: &random))
        default: .milliseconds(.random(in: 0...Self.millisecondsMax, using: &random))
        }
    }
}

/// Counts lives that did not reach their moments: a hang, or a starved machine. A few are tolerated.
package struct KillLives: Equatable, Sendable {
    package struct Life: Equatable, Sendable, CustomStringConvertible {
        package let moment: KillSchedule.Moment
        package let milliseconds: Int
        /// Counts of this life: 202s, pushes at APNs, answers by status (0: none, as the kill leaves them).
        package let acceptedCount: Int
        package let arrivalCount: Int
        package let statusCounts: [Int: Int]

        package init(
            moment: KillSchedule.Moment,
            milliseconds: Int,
            acceptedCount: Int,
            arrivalCount: Int,
            statusCounts: [Int: Int]
        ) {
            self.moment = moment
            self.milliseconds = milliseconds
            self.acceptedCount = acceptedCount
            self.arrivalCount = arrivalCount
            self.statusCounts = statusCounts
        }

        package var isMet: Bool {
            switch moment {
            case .answers(let count): acceptedCount >= count
            case .arrivals(let count): arrivalCount >= count
            case .milliseconds(let count): milliseconds >= count
            }
        }

        package var description: String {
            let statuses = statusCounts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return "\(moment) not within \(milliseconds) ms: \(acceptedCount) accepted, \(arrivalCount) at APNs, "
                + "answers by status \(statuses.joined(separator: ", "))"
        }
    }

    private static let unmetPercentMax = 3
    private static let shownCountMax = 3

    package private(set) var count = 0
    package private(set) var unmetCount = 0
    package private(set) var longest = 0
    /// The first lives that did not reach their moments.
    package private(set) var unmet: [Life] = []

    package init() {}

    package mutating func add(_ life: Life) {
        count += 1
        longest = max(longest, life.milliseconds)
        guard !life.isMet else { return }
        unmetCount += 1
        if unmet.count < Self.shownCountMax { unmet.append(life) }
    }

    /// A single failure is tolerated in however few lives.
    package var isGood: Bool { unmetCount * 100 <= max(count * Self.unmetPercentMax, 100) }
}

/// Kills that found something in each state, and its total.
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

    /// Adds the findings of one kill.
    ///
    /// - Parameter counts: Notifications in each state; missing ones are 0.
    package mutating func add(_ counts: [State: Int]) {
        killCount += 1
        for (state, count) in counts where count > 0 {
            rows[Self.index(state)].killCount += 1
            rows[Self.index(state)].notificationCount += count
        }
    }

    /// States that no kill has found; after a hundred kills and more each should occur.
    package var missing: [State] { killCount < 100 ? [] : State.allCases.filter { self[$0].killCount == 0 } }

    private static func index(_ state: State) -> Int { State.allCases.firstIndex(of: state) ?? 0 }
}
