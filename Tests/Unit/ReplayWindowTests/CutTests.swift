import Envelope
import Keys
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

/// Every write of every operation, cut off at every byte: the next opening of the window finds the operation done or
/// not begun, and nothing certain forgotten (protocol v1, rules 24 and 26).
struct CutTests {
    private static let known: UInt64 = 300

    enum Operation: CaseIterable {
        case firstOfSender, nextOfSender, reclaim, commit, webPush, replaced, removedAgain, generation, sweep, eviction
    }

    @Test(arguments: Operation.allCases)
    func `a process killed at any byte of any write leaves a window that is right`(_ operation: Operation) throws {
        let site = try Window()
        let near: UInt64 = operation == .sweep ? 3_340 : operation == .eviction ? 4_096 : Self.known
        for number in 1...near { _ = try site.window.claim(Self.stamp(number), now: now) }
        for number: UInt64 in 1...10 { try site.window.commit(ReplayClaim(key: Self.stamp(number).key)) }
        _ = try site.window.order(Self.change(.remove, 5_001, at: 10))
        _ = try site.window.claim(webPush: Self.record(1), now: now)
        let image = try Image(path: site.path)
        let before = try Facts(site.window)

        let log = WriteLog()
        try Self.perform(operation, in: site.reopened(onWrite: log.observer))
        let writes = log.writes
        #expect(!writes.isEmpty)
        let after = try Facts(site.window)
        try image.restore()

        var cutCount = 0
        for (index, write) in writes.enumerated() {
            for cut in 0...write.bytes.count {
                for whole in writes[..<index] { try image.write(whole.bytes[...], at: whole.offset) }
                try image.write(write.bytes[..<cut], at: write.offset)
                let checks = WriteLog()
                let window = try site.reopened(onWrite: checks.observer)
                let what: Comment = "write \(index), byte \(cut) of \(write.bytes.count)"
                let facts = try Facts(window)
                #expect(facts.lies(between: before, and: after), what)
                try Self.checkKnown(window, what)
                // The window still works: the operation can be done again.
                try Self.perform(operation, in: window)
                try Self.checkKnown(window, what)
                try image.restore(writes[...index].map(\.range) + checks.writes.map(\.range))
                cutCount += 1
            }
        }
        #expect(cutCount > writes.count)
    }

    private static func stamp(_ number: UInt64) -> MessageStamp { MessageStamp(number, lifetime: hour + number) }
    private static func record(_ number: UInt8) -> ReplayKey { ReplayKey(webPushRecord: [number]) }

    private static func change(_ kind: OrderedChange.Kind, _ target: UInt64, at time: UInt64) -> OrderedChange {
        OrderedChange(
            sender: alice,
            target: ProbeMessages.id(target),
            messageID: ProbeMessages.id(target + time),
            sentAt: now + time,
            kind: kind,
            keepUntil: now + (time + 100 * hour)
        )
    }

    /// Runs the operation, even if it was done before: no verdict is a failure.
    private static func perform(_ operation: Operation, in window: ReplayWindow) throws {
        switch operation {
        case .firstOfSender:
            _ = try window.claim(MessageStamp(1, from: bob, sentAt: now.milliseconds + 5), now: now + 5)
        case .nextOfSender: _ = try window.claim(stamp(100_000), now: now)
        case .reclaim: _ = try window.claim(stamp(200), now: now + 40_000)
        case .commit: try window.commit(ReplayClaim(key: stamp(200).key))
        case .webPush: _ = try window.claim(webPush: record(2), now: now)
        case .replaced: _ = try window.order(change(.replace, 5_002, at: 20))
        case .removedAgain: _ = try window.order(change(.remove, 5_001, at: 30))
        case .generation: _ = try window.advanceGeneration()
        case .sweep, .eviction: _ = try window.claim(stamp(100_000), now: now)
        }
    }

    private static func checkKnown(_ window: ReplayWindow, _ what: Comment) throws {
        for number: UInt64 in [1, 10] {
            let verdict = try window.claim(stamp(number), now: now + 50_000)
            #expect(verdict == .replay || verdict == .tooOld, what)
        }
        #expect(try !window.claim(stamp(200), now: now).isNew, what)
        #expect(try !window.claim(webPush: record(1), now: now).isNew, what)
        let show = OrderedChange(
            sender: alice,
            target: nil,
            messageID: ProbeMessages.id(5_001),
            sentAt: now + 9,
            kind: .show,
            keepUntil: now + 100 * hour
        )
        #expect(try window.order(show) == .superseded, what)
    }

    /// Facts that may only grow.
    private struct Facts {
        let lowerBound: Timestamp
        let generation: UInt64
        let floor: UInt64
        let count: Int

        init(_ window: ReplayWindow) throws {
            lowerBound = try window.lowerBound()
            generation = window.store.generation
            let row = try #require(try window.row(of: alice))
            floor = row.floor
            count = row.count
        }

        func lies(between before: Facts, and after: Facts) -> Bool {
            (before.lowerBound...after.lowerBound).contains(lowerBound)
                && (before.generation...after.generation).contains(generation)
                && (before.floor...after.floor).contains(floor)
                && (count == before.count || count == after.count)
        }
    }
}
