/// A comparison in turns, round by round: a shared machine may be twice as fast in one minute as in the next.
package struct TurnComparison: Equatable, Sendable {
    /// Of the rounds' ratios, in hundredths.
    package let medianPercent: Int
    package let leastPercent: Int
    package let mostPercent: Int
    /// Bounds of the middle half of the rounds.
    package let lowerQuartilePercent: Int
    package let upperQuartilePercent: Int

    /// - Parameters:
    ///   - values: One number per round.
    ///   - reference: Numbers to compare with, in as many rounds, at least one.
    package init(of values: [Int], to reference: [Int]) {
        precondition(values.count == reference.count && !values.isEmpty)
        let ratios = zip(values, reference).map { $0 * 100 / max(1, $1) }.sorted()
        medianPercent = ratios[ratios.count / 2]
        leastPercent = ratios[0]
        mostPercent = ratios[ratios.count - 1]
        lowerQuartilePercent = ratios[ratios.count / 4]
        upperQuartilePercent = ratios[ratios.count - 1 - ratios.count / 4]
    }

    /// The mean of neighbouring turns, as the reference for a turn between them: a machine that changes speed is
    /// halfway there.
    ///
    /// - Parameter values: At least two turns.
    package static func betweenNeighbours(_ values: [Int]) -> [Int] {
        precondition(values.count >= 2)
        return zip(values, values.dropFirst()).map { ($0 + $1) / 2 }
    }
}
