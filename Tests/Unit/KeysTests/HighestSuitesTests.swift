import Envelope
import TestSupport
import Testing

@testable import Keys

/// Suites as bytes, so that values beyond this version are decided and tested already.
struct HighestSuitesTests {
    private typealias Offer = HighestSuites.Offer

    @Test(
        arguments: [
            ([1], 0), ([1, 2], 1), ([2, 1], 0), ([1, 2, 3], 2), ([1, 255, 2], 1), ([7], 0),
        ] as [([UInt8], Int)]
    )
    func `a sender takes the highest suite of its class (protocol v1, rule 18)`(_ suites: [UInt8], _ expected: Int) {
        let offers = suites.map { Offer(suite: $0, protectionClass: .afterFirstUnlock) }
        #expect(HighestSuites.index(of: .afterFirstUnlock, in: offers) == expected)
    }

    @Test func `a class that is not offered is not replaced by another, however good its suite`() {
        let offers = [Offer(suite: 2, protectionClass: .unlocked), Offer(suite: 1, protectionClass: .unlocked)]
        #expect(HighestSuites.index(of: .afterFirstUnlock, in: offers) == nil)
        #expect(HighestSuites.index(of: .unlocked, in: offers) == 0)
        #expect(HighestSuites.index(of: .unlocked, in: []) == nil)
    }

    @Test func `the highest suite is taken of each class alone`() {
        let highest = HighestSuites(of: [
            Offer(suite: 1, protectionClass: .afterFirstUnlock), Offer(suite: 1, protectionClass: .unlocked),
            Offer(suite: 2, protectionClass: .unlocked),
        ])
        #expect(highest == HighestSuites(afterFirstUnlock: 1, unlocked: 2))
        #expect(HighestSuites(of: []) == .none)
    }

    @Test(arguments: Case.all)
    fileprivate func `a lower suite is a downgrade, of the class in use (protocol v1, rule 18; abuse case 28)`(
        _ example: Case
    ) {
        let now = HighestSuites(afterFirstUnlock: example.now.0, unlocked: example.now.1)
        let before = HighestSuites(afterFirstUnlock: example.before.0, unlocked: example.before.1)
        let downgrade = now.downgrade(from: before)
        #expect(downgrade?.from == example.expected?.from)
        #expect(downgrade?.to == example.expected?.to)
    }

    @Test func `what is remembered never falls`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var highest = HighestSuites.none
        for _ in 0..<200 {
            let next = HighestSuites(
                afterFirstUnlock: UInt8.random(in: 0...4, using: &random),
                unlocked: UInt8.random(in: 0...4, using: &random)
            )
            let merged = next.merged(with: highest)
            #expect(merged.downgrade(from: highest) == nil, "seed \(seed)")
            #expect(merged.downgrade(from: next) == nil, "seed \(seed)")
            #expect([highest.unlocked, next.unlocked].contains(merged.unlocked), "seed \(seed)")
            highest = merged
        }
    }
}

private struct Case: Sendable, CustomTestStringConvertible {
    let now: (UInt8, UInt8)
    let before: (UInt8, UInt8)
    let expected: (from: UInt8, to: UInt8)?

    var testDescription: String { "\(before) then \(now)" }

    static let all = [
        Case(now: (1, 0), before: (0, 0), expected: nil),
        Case(now: (1, 0), before: (1, 0), expected: nil),
        Case(now: (2, 0), before: (1, 0), expected: nil),
        Case(now: (1, 0), before: (2, 0), expected: (2, 1)),
        Case(now: (254, 0), before: (255, 0), expected: (255, 254)),
        Case(now: (0, 1), before: (0, 2), expected: (2, 1)),
        // The other class's better suite hides nothing.
        Case(now: (1, 2), before: (2, 2), expected: (2, 1)),
        Case(now: (1, 2), before: (2, 0), expected: (2, 1)),
        // A class that went away cannot be sealed to.
        Case(now: (1, 0), before: (1, 2), expected: nil),
        Case(now: (0, 1), before: (2, 1), expected: nil),
    ]
}
