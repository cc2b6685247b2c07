import Testing

@testable import HTTP

@Suite struct HTTPBodyBudgetTests {
    private static func network(_ number: Int) -> HTTPBodyShare {
        .keyless(network: [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)])
    }

    private static func exhaust(_ budget: HTTPBodyBudget, _ share: HTTPBodyShare, piece: Int = 1_000) -> Int {
        var count = 0
        while budget.take(piece, of: share) { count += piece }
        return count
    }

    @Test func `requests without a key have their part, and none of the others' reserve`() {
        let budget = HTTPBodyBudget(keyed: 1 << 20, keyless: 100_000, network: 100_000)
        var taken = 0
        for number in 0..<1_000 { taken += Self.exhaust(budget, Self.network(number), piece: 100) }
        #expect(taken == budget.byteCount && taken <= 100_000)
        #expect(budget.take(1 << 19, of: .keyed(owner: "acme")))
        #expect(!budget.take(100, of: Self.network(1)))
    }

    @Test func `a network has no more than its part`() {
        let budget = HTTPBodyBudget(keyed: 1 << 20, keyless: 16 << 20, network: 1 << 20)
        #expect(Self.exhaust(budget, Self.network(1)) == 1_048_000)
        #expect(budget.take(1_000, of: Self.network(2)))
        budget.give(1_048_000, of: Self.network(1))
        #expect(budget.take(1 << 20, of: Self.network(1)))
    }

    @Test(arguments: [1, 16, 255]) func `however many take what they get, the next one finds half as much as each has`(
        _ count: Int
    ) {
        let budget = HTTPBodyBudget(keyed: 0, keyless: 16 << 20, network: 16 << 20)
        // In turns, as connections come: each takes what it gets.
        var isTaken = true
        while isTaken {
            isTaken = false
            for number in 0..<count where budget.take(1_000, of: Self.network(number)) { isTaken = true }
        }
        let share = (16 << 20) / (count + 1)
        #expect(budget.take(share / 2 - 2_000, of: Self.network(256)), "\(count)")
    }

    @Test func `a tenant has half of the reserve at most`() {
        let budget = HTTPBodyBudget(keyed: 1_000_000, keyless: 0, network: 0)
        #expect(Self.exhaust(budget, .keyed(owner: "acme")) == 500_000)
        #expect(budget.take(250_000, of: .keyed(owner: "rival")))
        #expect(!budget.take(1, of: Self.network(1)))
    }
}
