import TestSupport
import Testing

@testable import PushStore

struct ReceiptRunPlanTests {
    private let plan = ReceiptRunPlan(fanIn: 3)

    private func run(_ number: Int64, level: Int64 = 0, last: Int64? = nil) -> ReceiptRun {
        ReceiptRun(number: number, place: number * 10, level: level, last: last ?? number * 10)
    }

    @Test func `so many of one level become one of the next, the oldest first`() {
        let runs = (1...4).map { run($0) }
        let target = ReceiptRun(number: 5, place: 10, level: 1, last: 30)
        #expect(plan.next(runs.reversed(), oldest: 0) == .merge(Array(runs.prefix(3)), into: target))
        #expect(plan.next(Array(runs.prefix(2)), oldest: 0) == nil)
        #expect(plan.next([], oldest: .max) == nil)
    }

    @Test func `what was begun is gone on with, and with no other runs`() {
        let runs = (1...5).map { run($0) }
        let target = ReceiptRun(number: 9, place: 10, level: 1, last: 30)
        #expect(plan.next([target] + runs, oldest: 0) == .merge(Array(runs.prefix(3)), into: target))
        // Whatever is left of them.
        #expect(plan.next([target, runs[2], runs[3]], oldest: 0) == .merge([runs[2]], into: target))
        #expect(plan.next([target, runs[3], runs[4]], oldest: 0) == nil)
    }

    @Test func `a lesser level comes first, and what nobody needs before all`() {
        let old = (1...3).map { run($0, level: 1) }
        let new = (4...6).map { run($0) }
        let target = ReceiptRun(number: 7, place: 40, level: 1, last: 60)
        #expect(plan.next(old + new, oldest: 0) == .merge(new, into: target))
        #expect(plan.next(old + new, oldest: 11) == .forget(old[0]))
        #expect(plan.next(old + new, oldest: 10) == .merge(new, into: target))
    }

    @Test func `a number in use is not given out`() {
        #expect(ReceiptRunPlan.freeNumber([]) == 1)
        #expect(ReceiptRunPlan.freeNumber([run(4), run(2)]) == 5)
        #expect(ReceiptRunPlan.freeNumber([run(0x7FFF), run(1)]) == 2)
        #expect(ReceiptRunPlan.freeNumber(ReceiptRun.numbers.map { run($0) }) == nil)
    }

    @Test func `runs stay few, in the order of their entries, whenever steps come`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var runs: [ReceiptRun] = []
        var entry: Int64 = 0
        var oldest: Int64 = 0
        // Each run's content, by its level-0 runs.
        var contents: [ReceiptRun: [Int64]] = [:]
        for round in 0..<3_000 {
            if random.next() % 3 == 0 {
                entry += Int64(random.next() % 5) + 1
                guard let number = ReceiptRunPlan.freeNumber(runs) else {
                    Issue.record("seed \(seed)")
                    return
                }
                let new = ReceiptRun(number: number, place: entry, level: 0, last: entry)
                runs.append(new)
                contents[new] = [entry]
            } else if random.next() % 20 == 0 {
                oldest += (entry - oldest) / 3
            } else if let step = plan.next(runs, oldest: oldest) {
                switch step {
                case .forget(let run):
                    #expect(run.last < oldest)
                    runs.removeAll { $0 == run }
                    contents[run] = nil
                case .merge(let sources, let target):
                    if !runs.contains(target) {
                        runs.append(target)
                        contents[target] = []
                    }
                    // One of them is empty; the others have some left.
                    if random.next() % 2 == 0 { continue }
                    let moved = sources.flatMap { contents[$0] ?? [] }
                    contents[target, default: []] += moved
                    for source in sources {
                        runs.removeAll { $0 == source }
                        contents[source] = nil
                    }
                }
            }
            let ordered = runs.sorted { ($0.place, -$0.level) < ($1.place, -$1.level) }
            let entries = ordered.flatMap { contents[$0] ?? [] }
            guard entries == entries.sorted(), Set(runs.map(\.number)).count == runs.count else {
                Issue.record("seed \(seed), round \(round)")
                return
            }
        }
        while let step = plan.next(runs, oldest: oldest) {
            guard case .merge(let sources, let target) = step else {
                if case .forget(let run) = step { runs.removeAll { $0 == run } }
                continue
            }
            if !runs.contains(target) { runs.append(target) }
            runs.removeAll { sources.contains($0) }
        }
        for level in Set(runs.map(\.level)) { #expect(runs.count { $0.level == level } < 3, "seed \(seed)") }
    }
}
