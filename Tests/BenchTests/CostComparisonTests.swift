import Bench
import Testing

struct CostComparisonTests {
    @Test func `a machine that is slow in one round is slow for both`() {
        let comparison = CostComparison(of: [55, 110, 56], to: [50, 100, 50])
        #expect(comparison.medianPercent == 110)
        #expect(comparison.leastPercent == 110 && comparison.mostPercent == 112)
    }

    @Test func `a round that was disturbed on one side does not decide`() {
        #expect(CostComparison(of: [50, 51, 500], to: [50, 50, 50]).medianPercent == 102)
    }
}
