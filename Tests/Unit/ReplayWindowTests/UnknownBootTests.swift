import Envelope
import Keys
import Platform
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

/// A system that does not identify the device's start. A fallen uptime alone then shows a restart; time is confirmed
/// for the process that confirmed it.
struct UnknownBootTests {
    private let site: Window
    private var window: ReplayWindow { site.window }

    init() throws { site = try Window() }

    @Test func `an uptime that fell ends every claim, and any other leaves it its 35 seconds`() throws {
        #expect(try window.claim(MessageStamp(1), now: now, boot: 0).isNew)
        #expect(try window.claim(MessageStamp(1), now: now + 35_000, boot: 0) == .replay)
        #expect(try window.claim(MessageStamp(1), now: Timestamp(milliseconds: 2_000), boot: 0).isReclaimed)
        // A live one of the new start is taken.
        #expect(try window.claim(MessageStamp(1), now: Timestamp(milliseconds: 2_000), boot: 0) == .replay)
        #expect(try window.claim(MessageStamp(1), now: Timestamp(milliseconds: 37_000), boot: 0) == .replay)
        #expect(try window.claim(MessageStamp(1), now: Timestamp(milliseconds: 38_000), boot: 0).isReclaimed)
    }

    @Test func `a restart that the uptime does not show keeps a claim for 35 seconds more at most`() throws {
        #expect(try window.claim(MessageStamp(1), now: Timestamp(milliseconds: 20_000), boot: 0).isNew)
        // Started again, and first read when it has run for longer than before.
        let late = Timestamp(milliseconds: 21_000)
        #expect(try site.reopened().claim(MessageStamp(1), now: late, boot: 0) == .replay)
        #expect(try site.reopened().claim(MessageStamp(1), now: late + 35_000, boot: 0).isReclaimed)
    }

    @Test func `a process that knows the boot's id and one that does not respect each other's claims`()
        throws
    {
        for (number, boots) in [[7, 0], [0, 7], [7, 0, 7], [0, 7, 0]].enumerated() as EnumeratedSequence<[[UInt64]]> {
            let stamp = MessageStamp(UInt64(number))
            for (turn, boot) in boots.enumerated() {
                let verdict = try site.reopened().claim(stamp, now: now + UInt64(turn), boot: boot)
                #expect(turn == 0 ? verdict.isNew : verdict == .replay, "\(boots), \(turn)")
            }
        }
        // A restart between them, which the second one cannot see: the third must not free the second one's claim.
        let other = MessageStamp(100)
        #expect(try window.claim(MessageStamp(99), now: now, boot: 7).isNew)
        #expect(try window.claim(other, now: now + 1, boot: 0).isNew)
        #expect(try window.claim(other, now: now + 2, boot: 8) == .replay)
    }

    @Test func `time is confirmed for the process that confirmed it, and for another the bound is all there is`() throws
    {
        let noon = now.milliseconds
        let uptime = Uptime.ofMachine.milliseconds
        try window.confirm(noon, uptime: uptime, boot: 0)
        let later = Uptime(milliseconds: uptime + hour, boot: 0)
        let known = try TestUptime.$current.withValue(later) { try window.time() }
        #expect(known.isConfirmed && known.lowerBound.milliseconds == noon + hour)
        let probe = try Probe.start("knows", site.folder.path)
        #expect(probe.line() == "false \(noon + hour)")
        // The app confirms it for a start whose id it can read: the same.
        try window.confirm(noon, uptime: uptime, boot: 7)
        #expect(try Probe.start("knows", site.folder.path).line() == "false \(noon)")
    }

    @Test(arguments: ["", "\n", "\u{0}\u{0}"])
    func `an empty id is none`(_ text: String) { #expect(Uptime.bootNumber(Array(text.utf8)) == 0) }

    @Test func `an id is told from another, with or without what ends it`() {
        let first = "6e5d6ac2-6e79-4f0a-b1a5-cbb9d2d6b2ac"
        let number = Uptime.bootNumber(Array(first.utf8))
        #expect(number != 0 && number == Uptime.bootNumber(Array((first + "\n").utf8)))
        #expect(number == Uptime.bootNumber(Array((first + "\u{0}\u{0}").utf8)))
        #expect(number != Uptime.bootNumber(Array("6e5d6ac2-6e79-4f0a-b1a5-cbb9d2d6b2ad".utf8)))
    }
}
