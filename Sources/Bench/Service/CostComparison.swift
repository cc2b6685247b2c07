/// What one relay takes for a notification beside what another takes, measured in turns: round by round, since a machine
/// that others share is twice as fast in one minute as in the next.
package struct CostComparison: Equatable, Sendable {
    /// Of the rounds' ratios, in hundredths.
    package let medianPercent: Int
    package let leastPercent: Int
    package let mostPercent: Int

    /// - Parameters:
    ///   - costs: a number of each round.
    ///   - reference: what they are compared with, in as many rounds, at least one.
    package init(of costs: [Int], to reference: [Int]) {
        precondition(costs.count == reference.count && !costs.isEmpty)
        let ratios = zip(costs, reference).map { $0 * 100 / max(1, $1) }.sorted()
        medianPercent = ratios[ratios.count / 2]
        leastPercent = ratios[0]
        mostPercent = ratios[ratios.count - 1]
    }
}
