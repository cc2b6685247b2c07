import Envelope
import Keys
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

/// Random operations against a dictionary that does the same.
struct ModelTests {
    /// The rules, without a file. It takes the raised floor of an eviction from the window, after a check that the
    /// floor is one of the expiries, and no higher than necessary.
    private struct Model {
        enum State { case claimed(at: UInt64), done }
        struct Entry {
            let expiresAt: UInt64
            var state: State
        }

        var entries: [Int: [UInt64: Entry]] = [:]
        var floors: [Int: UInt64] = [:]
        var lowerBound: UInt64 = 0
        /// The confirmed time and its uptime; nil before that.
        var confirmed: (time: UInt64, uptime: UInt64)?

        mutating func pass(to uptime: UInt64) {
            guard let confirmed else { return }
            lowerBound = max(lowerBound, confirmed.time + uptime - confirmed.uptime)
        }

        mutating func confirm(_ time: UInt64, uptime: UInt64) {
            confirmed = (time, uptime)
            lowerBound = time
        }

        func floor(_ sender: Int) -> UInt64 {
            max(floors[sender] ?? 0, lowerBound > 24 * hour ? lowerBound - 24 * hour : 0)
        }

        enum Verdict {
            case new, reclaimed, replay, tooOld

            init(_ verdict: ClaimVerdict) {
                switch verdict {
                case .new: self = .new
                case .reclaimed: self = .reclaimed
                case .replay: self = .replay
                case .tooOld: self = .tooOld
                }
            }
        }

        mutating func claim(_ sender: Int, _ number: UInt64, expiresAt: UInt64, uptime: UInt64) -> Verdict {
            pass(to: uptime)
            let floor = floor(sender)
            if var entry = entries[sender]?[number], entry.expiresAt > floor {
                guard case .claimed(let time) = entry.state, uptime / 1_000 - time / 1_000 > 35 else {
                    return .replay
                }
                entry.state = .claimed(at: uptime)
                entries[sender]?[number] = entry
                return .reclaimed
            }
            guard expiresAt > floor else { return .tooOld }
            entries[sender, default: [:]][number] = Entry(expiresAt: expiresAt, state: .claimed(at: uptime))
            return .new
        }

        mutating func commit(_ sender: Int, _ number: UInt64) {
            entries[sender]?[number]?.state = .done
        }
    }

    @Test(arguments: 0..<4)
    func `the window does what the rules say, whatever comes in whatever order (protocol v1, rules 23 to 26)`(
        _ run: UInt64
    ) throws {
        let seed = RunSeed.here() &+ run
        var random = SeededRandom(seed: seed)
        let site = try Window(seed: seed)
        var windows = [site.window, try site.reopened()]
        let senders = (0..<5).map { ProbeMessages.sender(10 + $0) }
        var model = Model()
        var clock = now.milliseconds
        // A start's uptime may begin anywhere.
        var uptime = now.milliseconds
        var seen: [Numbers] = []
        var claims: [(ReplayClaim, Int, UInt64)] = []
        var step = 0
        // Longer where chance has not filled a sender's quota by then.
        while step < 12_000 || step < 60_000 && model.floors[0] ?? 0 == 0 {
            defer { step += 1 }
            let what: Comment = "step \(step), seed \(seed)"
            let passed = UInt64.random(in: 0..<3_000, using: &random)
            (clock, uptime) = (clock + passed, uptime + passed)
            switch Int.random(in: 0..<1_000, using: &random) {
            case 0..<5: clock -= .random(in: 0..<hour, using: &random)
            case 5..<10:
                try windows[step % 2].confirm(clock, uptime: uptime)
                model.confirm(clock, uptime: uptime)
            case 10: clock += .random(in: 0..<4 * hour, using: &random)
            case 11: windows[0] = try site.reopened()
            case 12..<200:
                guard let (claim, sender, number) = claims.popLast() else { continue }
                try windows[step % 2].commit(claim)
                model.commit(sender, number)
                continue
            default: break
            }
            var message = Self.message(step, clock: clock, &random)
            if !seen.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
                message = seen[.random(in: 0..<seen.count, using: &random)]
            } else {
                seen.append(message)
            }
            let stamp = MessageStamp(
                message.number,
                from: senders[message.sender],
                sentAt: message.sentAt,
                lifetime: message.lifetime
            )
            let verdict = try windows[step % 2].claim(stamp, now: Timestamp(milliseconds: uptime))
            try Self.takeOverFloors(of: windows[0], senders, &model, what)
            let expected = model.claim(
                message.sender,
                message.number,
                expiresAt: message.sentAt + message.lifetime,
                uptime: uptime
            )
            #expect(Model.Verdict(verdict) == expected, what)
            if let claim = verdict.claim { claims.append((claim, message.sender, message.number)) }
            if step % 500 == 0 {
                #expect(try windows[1].lowerBound(uptime: uptime).milliseconds == model.lowerBound, what)
                let live = (model.entries[0] ?? [:]).values.count { $0.expiresAt > model.floor(0) }
                #expect(try windows[1].row(of: senders[0])?.count ?? 0 >= live, what)
            }
        }
        // The quota was reached.
        #expect(model.floors[0] ?? 0 > 0, "seed \(seed)")
    }

    private typealias Numbers = (sender: Int, number: UInt64, sentAt: UInt64, lifetime: UInt64)

    /// Most come from one sender, so that its quota is reached.
    private static func message(_ step: Int, clock: UInt64, _ random: inout SeededRandom) -> Numbers {
        let sender = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0..<5, using: &random) : 0
        return (
            sender: sender,
            number: UInt64(step),
            sentAt: clock - .random(in: 0..<hour, using: &random),
            lifetime: [hour, 24 * hour, 7 * 24 * hour][Int.random(in: 0..<3, using: &random)]
        )
    }

    private static func takeOverFloors(
        of window: ReplayWindow,
        _ senders: [SenderKey],
        _ model: inout Model,
        _ what: Comment
    ) throws {
        for (index, sender) in senders.enumerated() {
            guard let row = try window.row(of: sender) else { continue }
            let known = model.floors[index] ?? 0
            #expect(row.floor >= known && row.count <= WindowLayout.quota, what)
            guard row.floor > known else { continue }
            // An eviction: of this sender's own ids, those that expire first, and less than a third of its quota.
            let entries = (model.entries[index] ?? [:]).values
            #expect(
                entries.filter { $0.expiresAt > known && $0.expiresAt <= row.floor }.map(\.expiresAt).max()
                    == row.floor,
                what
            )
            let live = entries.filter { $0.expiresAt > model.floor(index) }
            #expect(live.count <= WindowLayout.quota, what)
            #expect(live.count { $0.expiresAt <= row.floor } <= WindowLayout.quota / 3, what)
            model.floors[index] = row.floor
        }
    }
}
