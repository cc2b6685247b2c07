import Bench
import Testing

struct TurnComparisonTests {
    @Test func `a machine that is slow in one round is slow for both`() {
        let comparison = TurnComparison(of: [55, 110, 56], to: [50, 100, 50])
        #expect(comparison.medianPercent == 110)
        #expect(comparison.leastPercent == 110 && comparison.mostPercent == 112)
    }

    @Test func `a round that was disturbed on one side does not decide`() {
        #expect(TurnComparison(of: [50, 51, 500], to: [50, 50, 50]).medianPercent == 102)
    }

    @Test func `half of the rounds lie between the quartiles, whatever their order`() {
        let comparison = TurnComparison(of: [104, 90, 101, 99, 70, 100, 300, 98], to: [Int](repeating: 100, count: 8))
        #expect(comparison.leastPercent == 70 && comparison.mostPercent == 300)
        #expect(comparison.lowerQuartilePercent == 98 && comparison.upperQuartilePercent == 101)
        let one = TurnComparison(of: [3], to: [4])
        #expect(one.lowerQuartilePercent == 75 && one.medianPercent == 75 && one.upperQuartilePercent == 75)
    }

    @Test func `a machine that becomes slower from turn to turn is halfway there in the turn between`() {
        let capacities = [1_000, 800, 600, 400]
        let overloads = [900, 700, 500]
        #expect(TurnComparison.betweenNeighbours(capacities) == overloads)
        let comparison = TurnComparison(of: overloads, to: TurnComparison.betweenNeighbours(capacities))
        #expect(comparison.leastPercent == 100 && comparison.mostPercent == 100)
    }
}
