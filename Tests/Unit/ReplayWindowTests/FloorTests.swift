import Envelope
import Keys
import Platform
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

/// Forgotten ids are refused, and only their sender's.
struct FloorTests {
    private let site: Window
    private var window: ReplayWindow { site.window }

    init() throws { site = try Window() }

    /// Claims ids of one sender; the higher the number, the later it expires.
    private func fill(_ numbers: some Sequence<UInt64>, from sender: SenderKey = alice) throws {
        for number in numbers {
            let stamp = MessageStamp(number, from: sender, lifetime: hour + number)
            #expect(try window.claim(stamp, now: now).isNew, "\(number)")
        }
    }

    @Test
    func
        `a sender's quota is 4,096 ids, all known, and the next evicts those that expire first (protocol v1, rule 24; abuse case 44)`()
        throws
    {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        try fill((1...4_096).shuffled(using: &random))
        for number: UInt64 in 1...4_096 {
            let verdict = try window.claim(MessageStamp(number, lifetime: hour + number), now: now)
            #expect(verdict == .replay, "\(number), seed \(seed)")
        }
        #expect(try window.row(of: alice)?.floor == 0)

        #expect(try window.claim(MessageStamp(5_000, lifetime: hour + 5_000), now: now).isNew)
        let row = try #require(try window.row(of: alice))
        // The floor is the latest expiry among the evicted: exactly one of theirs.
        let evicted = row.floor - now.milliseconds - hour
        #expect((1...512).contains(evicted), "\(evicted), seed \(seed)")
        #expect(row.count == 4_097 - Int(evicted))
        for number in Array<UInt64>(1...4_096) + [5_000] {
            let verdict = try window.claim(MessageStamp(number, lifetime: hour + number), now: now)
            #expect(verdict == (number <= evicted ? .tooOld : .replay), "\(number), seed \(seed)")
        }
        // A new id as old as the evicted ones cannot be told from them.
        #expect(try window.claim(MessageStamp(9_000, lifetime: hour + evicted), now: now) == .tooOld)
        #expect(try window.claim(MessageStamp(9_001, lifetime: hour + evicted + 1), now: now).isNew)
    }

    @Test func `a flood evicts its own sender's ids and nobody else's (protocol v1, rule 24)`() throws {
        try fill(1...50, from: bob)
        try fill((1...15_000).map { $0 + 1_000 })
        for number: UInt64 in 1...50 {
            #expect(try window.claim(MessageStamp(number, from: bob, lifetime: hour + number), now: now) == .replay)
        }
        let flooder = try #require(try window.row(of: alice))
        #expect(try window.row(of: bob)?.floor == 0)
        #expect(flooder.count <= 4_096 && flooder.count > 3_500)
        // Another sender's message that expires before the flooder's floor is new all the same.
        #expect(flooder.floor > now.milliseconds + hour + 60)
        #expect(try window.claim(MessageStamp(60, from: bob, lifetime: hour + 60), now: now).isNew)
    }

    @Test func `one long-lived id among short-lived ones does not lift the floor over them (protocol v1, rule 24)`()
        throws
    {
        let month: UInt64 = 30 * 86_400_000
        #expect(try window.claim(MessageStamp(1, lifetime: month), now: now).isNew)
        try fill((1...9_000).map { $0 + 10 })
        let row = try #require(try window.row(of: alice))
        #expect(row.floor < now.milliseconds + hour + 9_010)
        #expect(try window.claim(MessageStamp(1, lifetime: month), now: now) == .replay)
        #expect(try window.claim(MessageStamp(99_999, lifetime: hour + 9_100), now: now).isNew)
    }

    @Test func `ids that expire at the same time are evicted together`() throws {
        for number: UInt64 in 1...4_097 { _ = try window.claim(MessageStamp(number), now: now) }
        // There is no floor between two equal expiries.
        #expect(try window.row(of: alice)?.floor == now.milliseconds + hour)
        #expect(try window.claim(MessageStamp(1), now: now) == .tooOld)
        #expect(try window.claim(MessageStamp(4_097), now: now) == .tooOld)
        #expect(try window.claim(MessageStamp(4_098, lifetime: hour + 1), now: now).isNew)
    }

    @Test
    func
        `the floor stays when the clock goes back an hour, to 1970, 2038 or 2106 (protocol v1, rule 24; abuse case 47)`()
        throws
    {
        try fill(1...4_100)
        let floor = try #require(try window.row(of: alice)).floor
        #expect(floor > 0)
        for clock: UInt64 in [0, now.milliseconds - hour, 2_147_483_648_000, 4_294_967_296_000, .max] {
            let time = Timestamp(milliseconds: clock)
            #expect(try window.claim(MessageStamp(1, lifetime: hour + 1), now: time) == .tooOld)
            #expect(try window.claim(MessageStamp(4_100, lifetime: hour + 4_100), now: time) != .tooOld)
            #expect(try window.row(of: alice)?.floor == floor)
        }
        // A clock in 2106 deafens no sender: the floor does not depend on it.
        #expect(try window.claim(MessageStamp(5_000, lifetime: hour + 5_000), now: now).isNew)
        #expect(try window.claim(MessageStamp(1, from: bob, lifetime: 1), now: now).isNew)
        #expect(try site.reopened().row(of: alice)?.floor == floor)
    }

    @Test func `ids are kept for 24 hours past their expiry, by confirmed time alone (protocol v1, rule 24)`() throws {
        let day = 24 * hour
        try window.commit(try #require(try window.claim(MessageStamp(1), now: now).claim))
        // Neither the uptime nor a signed time ages anything.
        #expect(try window.claim(MessageStamp(1), now: now + 100 * day) == .replay)
        let far = MessageStamp(2, from: bob, sentAt: now.milliseconds + 100 * day)
        #expect(try window.claim(far, now: now + 100 * day).isNew)
        #expect(try window.claim(MessageStamp(1), now: now) == .replay)
        try window.confirm(now.milliseconds + hour + day - 1)
        #expect(try window.claim(MessageStamp(1), now: now) == .replay)
        try window.confirm(now.milliseconds + hour + day)
        #expect(try window.claim(MessageStamp(1), now: now) == .tooOld)
        #expect(try window.claim(MessageStamp(4), now: now) == .tooOld)
        #expect(try window.claim(MessageStamp(5, lifetime: hour + 1), now: now).isNew)
    }

    @Test func `what has left for age stays out after a confirmation that takes the time back`() throws {
        let month: UInt64 = 30 * 24 * hour
        // Full pages, so that places are given up.
        let senders = (10..<60).map { ProbeMessages.sender($0) }
        let stamps = senders.flatMap { sender in (1...2_000).map { MessageStamp($0, from: sender) } }
        for stamp in stamps { try window.commit(try #require(try window.claim(stamp, now: now).claim)) }
        try window.confirm(now.milliseconds + month)
        for number: UInt64 in 1...20_000 {
            let sender = ProbeMessages.sender(60 + number % 50)
            let stamp = MessageStamp(number, from: sender, sentAt: now.milliseconds + month)
            _ = try window.claim(stamp, now: now)
        }
        try window.confirm(now.milliseconds)
        for stamp in stamps.shuffled().prefix(5_000) {
            let verdict = try window.claim(stamp, now: now + hour)
            #expect(verdict == .replay || verdict == .tooOld)
        }
    }
}

struct WindowTimeTests {
    private let site: Window
    private var window: ReplayWindow { site.window }
    private let noon: UInt64 = now.milliseconds + 12 * hour

    init() throws { site = try Window() }

    @Test func `no message moves the lower bound, whenever it was signed (protocol v1, rule 25)`() throws {
        let times: [UInt64] = [0, now.milliseconds, now.milliseconds + 1_000 * hour, 1 << 52]
        for sentAt in times {
            _ = try window.claim(MessageStamp(sentAt, sentAt: sentAt), now: now + 100 * hour)
            _ = try window.claim(webPush: ReplayKey(webPushRecord: [UInt8(truncatingIfNeeded: sentAt)]), now: now)
            #expect(try window.lowerBound() == Timestamp(milliseconds: 0))
        }
        try window.confirm(noon)
        _ = try window.claim(MessageStamp(9, sentAt: noon + 1_000 * hour), now: now)
        #expect(try window.lowerBound().milliseconds == noon)
    }

    @Test func `confirmed time goes on by the uptime, also for another process`() throws {
        try window.confirm(noon, uptime: 5_000)
        #expect(try window.lowerBound(uptime: 5_000 + hour).milliseconds == noon + hour)
        let other = try site.reopened()
        #expect(try other.lowerBound(uptime: 5_000 + 2 * hour).milliseconds == noon + 2 * hour)
    }

    @Test func `after a restart it stands still at the latest that was known, and is confirmed no more`() throws {
        try window.confirm(noon, uptime: 5_000)
        // Written with any other change, and once an hour without.
        _ = try window.lowerBound(uptime: 5_000 + 2 * hour)
        for uptime in [0, 5_000, 5_000 + 100 * hour] {
            #expect(try window.lowerBound(uptime: uptime, boot: 2).milliseconds == noon + 2 * hour)
        }
        let time = try TestUptime.$current.withValue(Uptime(milliseconds: 7, boot: 2)) { try site.reopened().time() }
        #expect(!time.isConfirmed && time.lastConfirmed?.milliseconds == noon)
        try window.confirm(noon + 3 * hour, uptime: 0, boot: 2)
        #expect(try window.lowerBound(uptime: hour, boot: 2).milliseconds == noon + 4 * hour)
    }

    @Test func `a confirmation takes the place of a later one that was wrong`() throws {
        try window.confirm(noon + 10_000 * hour)
        try window.confirm(noon)
        #expect(try window.lowerBound().milliseconds == noon)
        #expect(try site.reopened().lowerBound(boot: 2).milliseconds == noon)
    }
}

struct WebPushClaimTests {
    private let site: Window
    private var window: ReplayWindow { site.window }

    init() throws { site = try Window() }

    private func key(_ number: UInt64) -> ReplayKey { ReplayKey(webPushRecord: ProbeMessages.id(number)) }

    @Test func `a record is new once (protocol v1, rule 38)`() throws {
        let claim = try #require(try window.claim(webPush: key(1), now: now).claim)
        #expect(try window.claim(webPush: key(1), now: now) == .replay)
        #expect(try window.claim(webPush: key(1), now: now + 36_000).isReclaimed)
        try window.commit(claim)
        #expect(try window.claim(webPush: key(1), now: now + 80_000) == .replay)
    }

    @Test func `records evict the oldest records and no sender's ids (protocol v1, rules 24 and 38)`() throws {
        for number: UInt64 in 1...100 { _ = try window.claim(MessageStamp(number), now: now) }
        for number: UInt64 in 1...10_000 { #expect(try window.claim(webPush: key(number), now: now).isNew) }
        for number: UInt64 in 1...100 { #expect(try window.claim(MessageStamp(number), now: now) == .replay) }
        #expect(try window.row(of: alice)?.floor == 0)
        // The latest 3,500 at least are known, under any time.
        for number: UInt64 in 6_500...10_000 {
            #expect(try window.claim(webPush: key(number), now: Timestamp(milliseconds: 0)) != .tooOld)
            #expect(try window.claim(webPush: key(number), now: now).isNew == false, "\(number)")
        }
        // Without times no floor can keep out forgotten ids.
        #expect(try window.claim(webPush: key(1), now: now).isNew)
    }
}
