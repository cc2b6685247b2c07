import Envelope
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

    @Test func `a life that did not come to its moment is told, and more than three of a hundred are too many`() {
        func life(_ moment: KillSchedule.Moment) -> KillLives.Life {
            KillLives.Life(
                moment: moment,
                milliseconds: 20_000,
                acceptedCount: 900,
                arrivalCount: 4,
                statusCounts: [429: 7, 202: 900]
            )
        }
        var lives = KillLives()
        for moment: KillSchedule.Moment in [.answers(900), .arrivals(4), .milliseconds(20_000)] {
            lives.add(life(moment))
        }
        #expect(lives.count == 3 && lives.unmetCount == 0 && lives.longest == 20_000)
        lives.add(life(.arrivals(5)))
        #expect(lives.unmetCount == 1 && lives.isGood, "one may be")
        lives.add(life(.answers(901)))
        #expect(!lives.isGood)
        #expect(
            lives.unmet.map(\.description) == [
                "arrivals(5) not within 20000 ms: 900 accepted, 4 at APNs, answers by status 202: 900, 429: 7",
                "answers(901) not within 20000 ms: 900 accepted, 4 at APNs, answers by status 202: 900, 429: 7",
            ]
        )
        for _ in 0..<95 { lives.add(life(.arrivals(4))) }
        #expect(lives.count == 100 && lives.isGood)
        for _ in 0..<2 { lives.add(life(.milliseconds(20_001))) }
        #expect(lives.unmetCount == 4 && !lives.isGood)
    }

    @Test func `after a hundred kills each state ought to have been found`() {
        var histogram = KillHistogram()
        let all = Dictionary(uniqueKeysWithValues: KillHistogram.State.allCases.map { ($0, 1) })
        for _ in 0..<99 { histogram.add(all.filter { $0.key != .sending }) }
        #expect(histogram.missing.isEmpty, "too few to say")
        histogram.add([.queued: 1])
        #expect(histogram.missing == [.sending])
        histogram.add([.sending: 1])
        #expect(histogram.missing.isEmpty)
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
            var judge = KillVerifier()
            judge.add(state, isAtAPNs: isAtAPNs)
            #expect(judge.lostCount == 1 && !judge.isGood, "\(state as Any), \(isAtAPNs)")
        }
        var judge = KillVerifier()
        for state: EntryState in [.accepted, .delivered, .dead(.undeliverable), .parked, .expired] {
            judge.add(state, isAtAPNs: state == .accepted || state == .delivered)
        }
        #expect(judge.isGood && judge.acceptedCount == 2)
        #expect(judge.deadCount == 1 && judge.parkedCount == 1 && judge.expiredCount == 1)
    }

    @Test func `a push may come again where an answer was lost, and only there`() {
        func attempt(_ connection: Attempt.Connection, _ reason: String? = nil) -> Attempt {
            Attempt(time: Timestamp(milliseconds: 1), connection: connection, reason: reason)
        }
        var judge = KillVerifier()
        judge.repeats.add(1, attempts: [attempt(.ambiguous, "PingTimeout"), attempt(.answered)])
        judge.repeats.add(2, attempts: [attempt(.interrupted), attempt(.ambiguous), attempt(.answered)])
        #expect(judge.isGood && judge.repeats.repeatedCount == 3)
        #expect(judge.repeats.causes == ["PingTimeout": 1, "Interrupted": 1, "unknown": 1])
        judge.repeats.add(1, attempts: [attempt(.notProcessed), attempt(.answered)])
        #expect(!judge.isGood && judge.repeats.needlessCount == 1)
    }

    @Test func `one lost answer is a reason to come again once, and what the store has forgotten is one, too`() {
        let lost = Attempt(time: Timestamp(milliseconds: 1), connection: .ambiguous)
        var judge = RepeatVerifier()
        judge.add(3, attempts: [lost], forgottenCount: 2)
        #expect(judge.isGood)
        judge.add(2, attempts: [lost])
        #expect(judge.needlessCount == 1 && judge.repeatedCount == 5)
    }

    @Test func `what came again and is not in the store came without need`() {
        var judge = RepeatVerifier()
        judge.add(1, attempts: [])
        #expect(!judge.isGood)
    }
}
