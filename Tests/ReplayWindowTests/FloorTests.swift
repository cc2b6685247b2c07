import Envelope
import Keys
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

/// What is forgotten is refused, and only its sender's.
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
        // An id that was never seen, but is as old as the evicted ones, cannot be told from them.
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
        // A clock in 2106 deafens nobody: it is not what the floor is made of.
        #expect(try window.claim(MessageStamp(5_000, lifetime: hour + 5_000), now: now).isNew)
        #expect(try window.claim(MessageStamp(1, from: bob, lifetime: 1), now: now).isNew)
        #expect(try site.reopened().row(of: alice)?.floor == floor)
    }

    @Test
    func
        `ids are kept for 24 hours past their expiry, by verified messages and not by the clock (protocol v1, rule 24)`()
        throws
    {
        let day = 24 * hour
        try window.commit(try #require(try window.claim(MessageStamp(1), now: now).claim))
        // A clock alone ages nothing.
        #expect(try window.claim(MessageStamp(1), now: now + 100 * day) == .replay)
        func hear(_ number: UInt64, at time: UInt64) throws {
            let stamp = MessageStamp(number, from: bob, sentAt: now.milliseconds + time)
            #expect(try window.claim(stamp, now: now + time).isNew)
        }
        try hear(2, at: hour + day - 1)
        #expect(try window.claim(MessageStamp(1), now: now) == .replay)
        try hear(3, at: hour + day)
        #expect(try window.claim(MessageStamp(1), now: now) == .tooOld)
        #expect(try window.claim(MessageStamp(4), now: now) == .tooOld)
        #expect(try window.claim(MessageStamp(5, lifetime: hour + 1), now: now).isNew)
    }
}

struct LowerBoundTests {
    private let site: Window
    private var window: ReplayWindow { site.window }

    init() throws { site = try Window() }

    @Test func `the lower bound is the latest of the earlier of sent-at and clock, and stays (protocol v1, rule 25)`()
        throws
    {
        #expect(try window.lowerBound() == Timestamp(milliseconds: 0))
        // Sent ahead of the clock: the clock counts.
        _ = try window.claim(MessageStamp(1, sentAt: now.milliseconds + 1_000), now: now)
        #expect(try window.lowerBound() == now)
        // A clock ahead: the message counts.
        _ = try window.claim(MessageStamp(2, sentAt: now.milliseconds + 2_000), now: now + 100 * hour)
        #expect(try window.lowerBound() == now + 2_000)
        // Neither an older message nor an older clock takes it back, nor another process.
        _ = try window.claim(MessageStamp(3, sentAt: now.milliseconds - hour), now: now + hour)
        _ = try window.claim(MessageStamp(4, sentAt: now.milliseconds + hour), now: Timestamp(milliseconds: 0))
        #expect(try window.lowerBound() == now + 2_000)
        #expect(try site.reopened().lowerBound() == now + 2_000)
    }

    @Test func `a replay is a verified message too, and a refused lifetime is none (protocol v1, rule 25)`() throws {
        _ = try window.claim(MessageStamp(1), now: now - 5_000)
        #expect(try window.lowerBound() == now - 5_000)
        #expect(try window.claim(MessageStamp(1), now: now) == .replay)
        #expect(try window.lowerBound() == now)
        _ = try window.claim(MessageStamp(2, sentAt: now.milliseconds + hour, lifetime: 0), now: now + hour)
        #expect(try window.lowerBound() == now)
    }

    @Test func `a Web Push record says nothing about the time (protocol v1, rules 25 and 38)`() throws {
        _ = try window.claim(webPush: ReplayKey(webPushRecord: [1]), now: now)
        #expect(try window.lowerBound() == Timestamp(milliseconds: 0))
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
        #expect(try window.claim(webPush: key(1), now: now + 35_001).isReclaimed)
        try window.commit(claim)
        #expect(try window.claim(webPush: key(1), now: now + 80_000) == .replay)
    }

    @Test func `records evict the oldest records and no sender's ids (protocol v1, rules 24 and 38)`() throws {
        for number: UInt64 in 1...100 { _ = try window.claim(MessageStamp(number), now: now) }
        for number: UInt64 in 1...10_000 { #expect(try window.claim(webPush: key(number), now: now).isNew) }
        for number: UInt64 in 1...100 { #expect(try window.claim(MessageStamp(number), now: now) == .replay) }
        #expect(try window.row(of: alice)?.floor == 0)
        // The latest 3,500 at least are known, whatever time it is said to be.
        for number: UInt64 in 6_500...10_000 {
            #expect(try window.claim(webPush: key(number), now: Timestamp(milliseconds: 0)) != .tooOld)
            #expect(try window.claim(webPush: key(number), now: now).isNew == false, "\(number)")
        }
        // Without times no floor can keep out what was forgotten.
        #expect(try window.claim(webPush: key(1), now: now).isNew)
    }
}
