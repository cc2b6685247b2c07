import TestSupport
import Testing

@testable import PushService

/// The dispatcher's values against a seeded model of everything around them.
struct DispatchModelTests {
    /// - Returns: the fault; nil if there is none.
    private static func run(_ seed: UInt64, _ mutant: ModelMutant? = nil, watching: (DispatchModel) -> Void = { _ in })
        -> String?
    {
        // Half of the runs have a disk that fails now and then.
        var model = DispatchModel(seed: seed, failurePercent: seed % 2 == 0 ? 0 : 8, mutant: mutant)
        for _ in 0..<2_000 {
            model.advance()
            if let fault = model.fault { return fault }
        }
        var steps = 0
        while !model.isDone {
            model.advance(isCalm: true)
            if let fault = model.fault { return fault }
            steps += 1
            if steps > 20_000 { return "never ends: \(model.summary)" }
        }
        watching(model)
        return nil
    }

    @Test func `through failures and crashes each ends once, in order, at its device's rate, and nobody starves`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var (handedOver, crashes, superseded, ends) = (0, 0, 0, Set<String>())
        for round in 0..<6 {
            let own = random.next() & ~1 | UInt64(round % 2)
            let fault = Self.run(own) { model in
                handedOver += model.handedOverCount
                crashes += model.crashCount
                superseded += model.supersededCount
                ends.formUnion(model.entries.map { "\($0.state)" })
            }
            #expect(fault == nil, "seed \(seed), round \(round) (\(own))")
        }
        #expect(
            handedOver > 100 && crashes > 2 && superseded > 0 && ends.isSuperset(of: ["accepted", "dead", "expired"])
        )
    }

    @Test(arguments: ModelMutant.allCases)
    func `the model finds a dispatcher that does it wrong`(_ mutant: ModelMutant) {
        // A fixed seed: which random faults occur is not under test.
        var random = SeededRandom(seed: 20_261_123)
        for round in 0..<40 {
            let own = random.next() & ~1 | UInt64(round % 2)
            guard let fault = Self.run(own, mutant) else { continue }
            #expect(Self.run(own) == nil, "the fault is the mutant's: \(fault)")
            return
        }
        Issue.record("not found")
    }
}
