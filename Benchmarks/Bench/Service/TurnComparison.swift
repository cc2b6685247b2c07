/// One thing beside another, measured in turns: round by round, since a machine that others share is twice as fast in one
/// minute as in the next.
package struct TurnComparison: Equatable, Sendable {
    /// Of the rounds' ratios, in hundredths.
    package let medianPercent: Int
    package let leastPercent: Int
    package let mostPercent: Int
    /// Half of the rounds lie between these two.
    package let lowerQuartilePercent: Int
    package let upperQuartilePercent: Int

    /// - Parameters:
    ///   - values: a number of each round.
    ///   - reference: what they are compared with, in as many rounds, at least one.
    package init(of values: [Int], to reference: [Int]) {
        precondition(values.count == reference.count && !values.isEmpty)
        let ratios = zip(values, reference).map { $0 * 100 / max(1, $1) }.sorted()
        medianPercent = ratios[ratios.count / 2]
        leastPercent = ratios[0]
        mostPercent = ratios[ratios.count - 1]
        lowerQuartilePercent = ratios[ratios.count / 4]
        upperQuartilePercent = ratios[ratios.count - 1 - ratios.count / 4]
    }

    /// What stands beside each turn that lies between two of another kind: a machine that becomes faster or slower is halfway
    /// there in the turn between.
    ///
    /// - Parameter values: of the turns around, one more than of those between, at least two.
    /// - Returns: the mean of each and the next one.
    package static func betweenNeighbours(_ values: [Int]) -> [Int] {
        precondition(values.count >= 2)
        return zip(values, values.dropFirst()).map { ($0 + $1) / 2 }
    }
}
