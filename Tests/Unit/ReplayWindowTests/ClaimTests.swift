import Envelope
import Keys
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

struct ClaimTests {
    private let site: Window
    private var window: ReplayWindow { site.window }

    init() throws { site = try Window() }

    @Test func `an id is new once, before and after its commit (protocol v1, rule 26; abuse case 43)`() throws {
        let claim = try #require(try window.claim(MessageStamp(1), now: now).claim)
        #expect(try window.claim(MessageStamp(1), now: now) == .replay)
        try window.commit(claim)
        #expect(try window.claim(MessageStamp(1), now: now) == .replay)
        #expect(try site.reopened().claim(MessageStamp(1), now: now + 36_000) == .replay)
    }

    @Test func `one message sealed twice, or twice under one encapsulated key, is one id (abuse case 34)`() throws {
        // The sealed content names the message; the seal does not.
        #expect(try window.claim(MessageStamp(1), now: now).isNew)
        #expect(try window.claim(MessageStamp(1, sentAt: now.milliseconds + 1), now: now) == .replay)
    }

    @Test func `two senders with one message id do not get in each other's way (protocol v1, rule 23)`() throws {
        #expect(try window.claim(MessageStamp(1, from: alice), now: now).isNew)
        #expect(try window.claim(MessageStamp(1, from: bob), now: now).isNew)
        #expect(try window.claim(MessageStamp(1, from: bob), now: now) == .replay)
    }

    @Test func `the key is the digest of sender and message id, its first 16 bytes (protocol v1, rule 23)`() throws {
        // printf of the 48 bytes | sha256sum
        let sender = try SenderKey(
            rawRepresentation: Hex.decode("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c") ?? []
        )
        let key = ReplayKey(sender: sender, messageID: Array(0..<16))
        #expect(Hex.encode(key.bytes) == "4292e58f3e9f0a2e7cc5227aca1eb6c1")
        #expect(Hex.encode(ReplayKey(webPushRecord: Array("abc".utf8)).bytes) == "ba7816bf8f01cfea414140de5dae2223")
    }

    @Test(arguments: [0, 1, 34_999, 35_000])
    func `a claim is its owner's for 35 seconds (protocol v1, rule 26)`(_ age: UInt64) throws {
        #expect(try window.claim(MessageStamp(1), now: now).isNew)
        #expect(try window.claim(MessageStamp(1), now: now + age) == .replay)
    }

    @Test func `a claim without a commit is given out again after 35 seconds (protocol v1, rule 26)`() throws {
        #expect(try window.claim(MessageStamp(1), now: now).isNew)
        let again = try window.claim(MessageStamp(1), now: now + 36_000)
        #expect(again.isReclaimed)
        // And the second owner has 35 seconds of its own.
        #expect(try window.claim(MessageStamp(1), now: now + 71_000) == .replay)
        #expect(try window.claim(MessageStamp(1), now: now + 72_000).isReclaimed)
        try window.commit(try #require(again.claim))
        #expect(try window.claim(MessageStamp(1), now: now + 200_000) == .replay)
    }

    @Test func `a restart ends every claim, whatever the uptime is then (protocol v1, rule 26)`() throws {
        for (number, uptime) in [0, 1, now.milliseconds, now.milliseconds + 1, now.milliseconds + hour].enumerated() {
            let stamp = MessageStamp(UInt64(number))
            let boot = UInt64(2 * number + 1)
            #expect(try window.claim(stamp, now: now, boot: boot).isNew)
            #expect(try window.claim(stamp, now: now + 1, boot: boot) == .replay)
            #expect(try window.claim(stamp, now: Timestamp(milliseconds: uptime), boot: boot + 1).isReclaimed)
        }
    }

    @Test(arguments: [36_000, 1 << 28, 1 << 28 + 20_000, 1 << 32, 1_000 << 28])
    func `a claim is over after 35 seconds, also after days, months and years`(_ age: UInt64) throws {
        #expect(try window.claim(MessageStamp(1), now: now).isNew)
        #expect(try window.claim(MessageStamp(1), now: now + age) != .replay)
    }

    @Test func `whoever claims second never takes a live claim for a dead one`() throws {
        // Two processes once read a clock each and then took the lock: the second one's reading could be the earlier.
        #expect(try window.claim(MessageStamp(1), now: now).isNew)
        for skew: UInt64 in [1, 50, 999, 1_000, 60_000] {
            #expect(try window.claim(MessageStamp(1), now: now - skew) == .replay, "\(skew)")
        }
    }

    @Test func `an id that is done stays so, whatever the clock says`() throws {
        try window.commit(try #require(try window.claim(MessageStamp(1), now: now).claim))
        for clock in [0, 1, now.milliseconds - hour, now.milliseconds + 40_000, 4_291_747_200_000, UInt64.max] {
            #expect(try window.claim(MessageStamp(1), now: Timestamp(milliseconds: clock)) == .replay)
        }
    }

    @Test func `a commit can be repeated, and one of an unknown id does nothing`() throws {
        let claim = try #require(try window.claim(MessageStamp(1), now: now).claim)
        try window.commit(claim)
        try window.commit(claim)
        try window.commit(ReplayClaim(key: MessageStamp(2).key))
        #expect(try window.claim(MessageStamp(2), now: now).isNew)
    }

    @Test(arguments: [0, 30 * 86_400_000 + 1, 1 << 40])
    func `a lifetime that rule 25 refuses is too old, and leaves nothing`(_ lifetime: UInt64) throws {
        #expect(try window.claim(MessageStamp(1, lifetime: lifetime), now: now) == .tooOld)
        #expect(try window.claim(MessageStamp(1, lifetime: 30 * 86_400_000), now: now).isNew)
    }

    @Test func `the ends of the number range are refused or kept, and never trap`() throws {
        let ends: [UInt64] = [0, 1, 1 << 44 - 1, 1 << 44, 1 << 48, 1 << 53 - 1, .max - 1, .max]
        for sentAt in ends {
            for expiresAt in ends {
                let stamp = MessageStamp(
                    sender: bob,
                    messageID: ProbeMessages.id(sentAt ^ expiresAt << 1),
                    sentAt: Timestamp(milliseconds: sentAt),
                    expiresAt: Timestamp(milliseconds: expiresAt)
                )
                for clock in ends {
                    let verdict = try window.claim(stamp, now: Timestamp(milliseconds: clock))
                    #expect(sentAt < expiresAt || verdict == .tooOld)
                }
            }
        }
    }

    @Test func `1 to 1000 in any order are all new once, and after a gap of 10,000 too (abuse case 48)`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let numbers = (1...1_000).shuffled(using: &random) + (11_000...12_000).shuffled(using: &random)
        for number in numbers {
            let stamp = MessageStamp(UInt64(number), lifetime: hour + UInt64(number))
            #expect(try window.claim(stamp, now: now).isNew, "\(number), seed \(seed)")
        }
        for number in numbers.shuffled(using: &random) {
            let stamp = MessageStamp(UInt64(number), lifetime: hour + UInt64(number))
            #expect(try window.claim(stamp, now: now) == .replay, "\(number), seed \(seed)")
        }
    }
}
