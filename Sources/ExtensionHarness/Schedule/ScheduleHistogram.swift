/// Counts of each outcome under each condition.
public struct ScheduleHistogram: Sendable, CustomStringConvertible {
    /// Columns, in order.
    public let outcomes: [String]
    private var labels: [ScheduleLabel] = []
    private var counts: [ScheduleLabel: [Int]] = [:]

    /// Creates an empty histogram of a push's possible outcomes.
    public init(outcomes: [String]) {
        self.outcomes = outcomes
    }

    /// Counts one push.
    ///
    /// - Parameters:
    ///   - step: That delivered it.
    ///   - outcome: One of `outcomes`; any other is not counted.
    public mutating func add(_ step: DeviceSchedule.Step, outcome: String) {
        guard let column = outcomes.firstIndex(of: outcome) else { return }
        for label in step.labels {
            if counts[label] == nil { labels.append(label) }
            counts[label, default: Array(repeating: 0, count: outcomes.count)][column] += 1
        }
    }

    /// Adds the counts of another histogram, which must have the same outcomes.
    public mutating func add(_ other: ScheduleHistogram) {
        precondition(outcomes == other.outcomes)
        for label in other.labels {
            if counts[label] == nil { labels.append(label) }
            let sum = zip(counts[label] ?? Array(repeating: 0, count: outcomes.count), other.counts[label] ?? []).map(+)
            counts[label] = sum
        }
    }

    /// Count of one outcome under one condition.
    public func count(_ outcome: String, under label: ScheduleLabel) -> Int {
        guard let column = outcomes.firstIndex(of: outcome) else { return 0 }
        return counts[label]?[column] ?? 0
    }

    /// Pairs that were never seen, of the conditions that were.
    public var emptyCells: [(label: ScheduleLabel, outcome: String)] {
        rows.flatMap { label in
            outcomes.filter { count($0, under: label) == 0 }.map { (label, $0) }
        }
    }

    /// Labels grouped by condition, in the order of a step.
    private var rows: [ScheduleLabel] {
        var conditions: [String] = []
        for label in labels where !conditions.contains(label.condition) { conditions.append(label.condition) }
        return conditions.flatMap { condition in
            labels.filter { $0.condition == condition }.sorted { $0.value < $1.value }
        }
    }

    /// Table: a line for each condition, a column for each outcome.
    public var description: String {
        let head = [""] + outcomes
        let lines = [head] + rows.map { label in [label.description] + (counts[label] ?? []).map(String.init) }
        let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            line.enumerated().map { column, cell in
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + gap : gap + cell
            }
            .joined(separator: "  ")
        }
        .joined(separator: "\n")
    }
}
