import Envelope
import Keys
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

/// Rule 27: of the changes to one target, the latest holds.
struct OrderTests {
    private let site: Window
    private var window: ReplayWindow { site.window }

    init() throws { site = try Window() }

    private static let lifetime: UInt64 = 7 * 86_400_000

    /// - Parameters:
    ///   - target: the number of the changed message; 0 for the badge.
    ///   - number: of the changing message.
    ///   - time: of its sending, in milliseconds after `now`.
    ///   - window: another one than the test's.
    /// - Returns: its place in the order.
    private func order(
        _ kind: OrderedChange.Kind,
        _ target: UInt64,
        by number: UInt64,
        at time: UInt64,
        from sender: SenderKey = alice,
        in window: ReplayWindow? = nil
    ) throws -> OrderVerdict {
        let change = OrderedChange(
            sender: sender,
            target: kind == .badge ? nil : ProbeMessages.id(target),
            messageID: ProbeMessages.id(number),
            sentAt: now + time,
            kind: kind,
            keepUntil: now + (time + Self.lifetime)
        )
        return try (window ?? self.window).order(change)
    }

    private func show(_ number: UInt64, at time: UInt64) throws -> OrderVerdict {
        _ = try window.claim(MessageStamp(number, sentAt: now.milliseconds + time), now: now + time)
        return try order(.show, number, by: number, at: time)
    }

    @Test func `an older change comes too late, a newer one does not (protocol v1, rule 27)`() throws {
        #expect(try show(1, at: 0) == .newest)
        #expect(try order(.replace, 1, by: 2, at: 20) == .newest)
        #expect(try order(.replace, 1, by: 3, at: 10) == .superseded)
        #expect(try order(.remove, 1, by: 4, at: 30) == .newest)
        #expect(try order(.replace, 1, by: 5, at: 25) == .superseded)
        #expect(try order(.replace, 1, by: 6, at: 40) == .newest)
    }

    @Test func `a remove that comes before its show leaves a tombstone (protocol v1, rule 27)`() throws {
        #expect(try order(.remove, 1, by: 2, at: 10) == .newest)
        #expect(try show(1, at: 0) == .superseded)
        #expect(try order(.show, 1, by: 1, at: 0, in: site.reopened()) == .superseded)
    }

    @Test func `of two changes of one millisecond the larger message id holds (protocol v1, rule 27)`() throws {
        #expect(try order(.replace, 1, by: 5, at: 10) == .newest)
        #expect(try order(.replace, 1, by: 4, at: 10) == .superseded)
        #expect(try order(.remove, 1, by: 6, at: 10) == .newest)
        // Bytes, from the first on, and not numbers of this machine.
        #expect(try order(.replace, 9, by: 0x0100, at: 10) == .newest)
        #expect(try order(.replace, 9, by: 0x00FF, at: 10) == .superseded)
    }

    @Test func `the same change again is as new as it was (protocol v1, rules 26 and 27)`() throws {
        #expect(try order(.remove, 1, by: 2, at: 10) == .newest)
        #expect(try order(.remove, 1, by: 2, at: 10) == .newest)
        #expect(try show(3, at: 10) == .newest)
        #expect(try order(.show, 3, by: 3, at: 10) == .newest)
    }

    @Test func `a change that was sent before its own target is superseded by it (protocol v1, rule 27)`() throws {
        #expect(try show(5, at: 100) == .newest)
        #expect(try order(.remove, 5, by: 2, at: 99) == .superseded)
        #expect(try order(.replace, 5, by: 4, at: 100) == .superseded)
        #expect(try order(.replace, 5, by: 6, at: 100) == .newest)
    }

    @Test func `a show that is later than what was done to its id takes its place (protocol v1, rule 27)`() throws {
        #expect(try order(.remove, 1, by: 2, at: 10) == .newest)
        #expect(try show(1, at: 20) == .newest)
        #expect(try order(.replace, 1, by: 3, at: 15) == .superseded)
    }

    @Test func `no sender touches another's message (protocol v1, rule 27)`() throws {
        #expect(try order(.remove, 1, by: 2, at: 10, from: bob) == .newest)
        #expect(try show(1, at: 0) == .newest)
        #expect(try order(.replace, 1, by: 3, at: 5) == .newest)
        #expect(try order(.replace, 1, by: 4, at: 5, from: bob) == .superseded)
    }

    @Test func `a sender's badge only goes forward, and each sender has its own (protocol v1, rule 29)`() throws {
        #expect(try order(.badge, 0, by: 2, at: 10) == .newest)
        #expect(try order(.badge, 0, by: 1, at: 9) == .superseded)
        #expect(try order(.badge, 0, by: 2, at: 10) == .newest)
        #expect(try order(.badge, 0, by: 1, at: 9, from: bob) == .newest)
        #expect(try order(.badge, 0, by: 3, at: 11) == .newest)
    }

    @Test func `a tombstone outlives its message by the longest lifetime, by verified messages (protocol v1, rule 27)`()
        throws
    {
        #expect(try order(.remove, 1, by: 2, at: 10) == .newest)
        // The clock alone forgets nothing, and a full page first takes what may be forgotten.
        #expect(try order(.show, 1, by: 1, at: 0) == .superseded)
        _ = try window.claim(MessageStamp(7, sentAt: now.milliseconds + Self.lifetime), now: now + Self.lifetime)
        #expect(try order(.show, 1, by: 1, at: 0) == .superseded)
    }

    @Test
    func `who fills the table loses own late messages, and shows nothing that was removed (protocol v1, rule 27)`()
        throws
    {
        #expect(try order(.remove, 1, by: 1_000_001, at: 1, from: bob) == .newest)
        let count: UInt64 = 6_000
        for number in 1...count { #expect(try order(.remove, number, by: 10_000 + number, at: number) == .newest) }
        let row = try #require(try window.row(of: alice))
        #expect(row.orderFloor > now.milliseconds)
        // Every removed one stays so, remembered or not.
        for number in 1...count {
            #expect(try order(.show, number, by: number, at: number - 1) == .superseded, "\(number)")
        }
        // Its messages after the forgotten ones are not affected, nor is any other sender.
        let later = row.orderFloor - now.milliseconds + 1
        #expect(try order(.show, 99_999, by: 99_999, at: later) == .newest)
        #expect(try order(.show, 99_999, by: 99_999, at: 0, from: bob) == .newest)
        #expect(try order(.show, 1, by: 1, at: 0, from: bob) == .superseded)
        #expect(try window.row(of: bob)?.orderFloor == 0)
    }

    @Test func `many senders share the table, and none shows what it removed (protocol v1, rule 27)`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let senders = (0..<40).map { ProbeMessages.sender(100 + $0) }
        var removed: [(sender: Int, target: UInt64, time: UInt64)] = []
        for number: UInt64 in 1...9_000 {
            let sender = Int.random(in: 0..<senders.count, using: &random)
            let verdict = try order(.remove, number, by: number + 20_000, at: number, from: senders[sender])
            #expect(verdict == .newest, "\(number), seed \(seed)")
            removed.append((sender, number, number))
        }
        for change in removed {
            let verdict = try order(
                .show,
                change.target,
                by: change.target,
                at: change.time - 1,
                from: senders[change.sender]
            )
            #expect(verdict == .superseded, "\(change.target), seed \(seed)")
        }
    }

    @Test func `the order is told from a model's in any order of arrival (protocol v1, rule 27)`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        struct Change { let kind: OrderedChange.Kind, target, number, time: UInt64, sender: Int }
        var changes: [Change] = []
        for number: UInt64 in 1...1_500 {
            let kind = [OrderedChange.Kind.replace, .remove, .badge][Int.random(in: 0..<3, using: &random)]
            changes.append(
                Change(
                    kind: kind,
                    target: .random(in: 1...40, using: &random),
                    number: number + 1_000,
                    time: .random(in: 1...60, using: &random),
                    sender: .random(in: 0..<2, using: &random)
                )
            )
        }
        var latest: [[UInt64]: (UInt64, UInt64)] = [:]
        for change in changes.shuffled(using: &random) {
            let key = [UInt64(change.sender), change.kind == .badge ? 0 : change.target]
            let known = latest[key] ?? (0, 0)
            let mine = (change.time, change.number)
            let verdict = try order(
                change.kind,
                change.target,
                by: change.number,
                at: change.time,
                from: [alice, bob][change.sender]
            )
            #expect(verdict == (mine >= known ? .newest : .superseded), "\(change), seed \(seed)")
            if mine > known { latest[key] = mine }
        }
    }
}
