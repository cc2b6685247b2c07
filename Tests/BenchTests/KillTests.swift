import PushStore
import TestSupport
import Testing

@testable import Bench

struct KillTests {
    @Test func `a seed has the same moments each time, of every kind and within their bounds`() {
        let seed = RunSeed.here()
        var one = KillSchedule(seed: seed, countMax: 50)
        var other = KillSchedule(seed: seed, countMax: 50)
        var kinds: Set<String> = []
        for _ in 0..<200 {
            let moment = one.next()
            #expect(moment == other.next(), "seed \(seed)")
            switch moment {
            case .answers(let count):
                kinds.insert("answers")
                #expect((1...50).contains(count), "seed \(seed)")
            case .arrivals(let count):
                kinds.insert("arrivals")
                #expect((1...50).contains(count), "seed \(seed)")
            case .milliseconds(let count):
                kinds.insert("milliseconds")
                #expect(count >= 0, "seed \(seed)")
            }
        }
        #expect(kinds.count == 3, "seed \(seed)")
    }

    @Test func `a state counts for a kill that found something in it`() {
        var histogram = KillHistogram()
        histogram.add([.queued: 5, .sending: 0])
        histogram.add([.queued: 2, .dead: 1])
        #expect(histogram.killCount == 2)
        #expect(histogram[.queued] == KillHistogram.Row(killCount: 2, notificationCount: 7))
        #expect(histogram[.sending] == KillHistogram.Row() && histogram[.dead].killCount == 1)
    }

    @Test func `what was acknowledged is lost without an end, or with one that APNs knows nothing of`() {
        let lost: [(EntryState?, Bool)] = [
            (nil, true), (nil, false), (.queued, false), (.sending, true), (.accepted, false), (.delivered, false),
        ]
        for (state, isAtAPNs) in lost {
            var judge = KillJudge()
            judge.add(state, isAtAPNs: isAtAPNs)
            #expect(judge.lostCount == 1 && !judge.isGood, "\(state as Any), \(isAtAPNs)")
        }
        var judge = KillJudge()
        for state: EntryState in [.accepted, .delivered, .dead(.undeliverable), .parked, .expired] {
            judge.add(state, isAtAPNs: state == .accepted || state == .delivered)
        }
        #expect(judge.isGood && judge.acceptedCount == 2)
        #expect(judge.deadCount == 1 && judge.parkedCount == 1 && judge.expiredCount == 1)
    }

    @Test func `a push may come again where an answer was lost, and only there`() {
        var judge = KillJudge()
        judge.addRepeated(isDoubtful: true)
        #expect(judge.isGood)
        judge.addRepeated(isDoubtful: false)
        #expect(!judge.isGood && judge.needlessCount == 1)
    }
}
