import Envelope
import Foundation
import Keys
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

struct CapacityTests {
    @Test func `100,000 live ids of 25 senders are all known, in less than 4,000,000 bytes (protocol v1, rule 24)`()
        throws
    {
        let site = try Window()
        let senders = (0..<25).map { ProbeMessages.sender(UInt64($0)) }
        func stamp(_ number: UInt64) -> MessageStamp {
            MessageStamp(number, from: senders[Int(number % 25)], lifetime: hour + number)
        }
        var newCount = 0
        for number: UInt64 in 0..<100_000 where try site.window.claim(stamp(number), now: now).isNew { newCount += 1 }
        #expect(newCount == 100_000)
        // Without an eviction every one of them is known; each eleventh is checked.
        for sender in senders {
            let row = try #require(try site.window.row(of: sender))
            #expect(row.floor == 0 && row.count == 4_000)
        }
        for number in stride(from: 0, to: UInt64(100_000), by: 11) {
            #expect(try site.window.claim(stamp(number), now: now) == .replay, "\(number)")
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: site.path)
        #expect(attributes[.size] as? Int == 3_997_696)
        #expect(try site.folder.names() == ["replay-window-1"])

        // More than fits: the sender with most ids gives way, and no known id is new again.
        let many = ProbeMessages.sender(1_000)
        for number: UInt64 in 0..<12_000 {
            let other = ProbeMessages.sender(1_001 + number % 4)
            let verdict = try site.window.claim(
                MessageStamp(200_000 + number, from: number % 3 == 0 ? many : other, lifetime: hour + number),
                now: now
            )
            #expect(verdict.isNew, "\(number)")
        }
        for number in stride(from: 0, to: UInt64(100_000), by: 23) {
            #expect(try !site.window.claim(stamp(number), now: now).isNew, "\(number)")
        }
        let floors = try senders.map { try #require(try site.window.row(of: $0)).floor }
        #expect(floors.contains { $0 > 0 })
    }

    @Test func `more senders than there are rows share one row, and every id is known (protocol v1, rule 24)`() throws {
        let site = try Window()
        let senders = (0..<UInt64(SenderRow.countMax + 50)).map { ProbeMessages.sender(10_000 + $0) }
        for (index, sender) in senders.enumerated() {
            #expect(try site.window.claim(MessageStamp(UInt64(index), from: sender), now: now).isNew)
        }
        var crowdedCount = 0
        for (index, sender) in senders.enumerated() {
            #expect(try site.window.claim(MessageStamp(UInt64(index), from: sender), now: now) == .replay)
            if try site.window.row(of: sender) == nil { crowdedCount += 1 }
        }
        // Two rows are taken from the start.
        #expect(crowdedCount == 52)

        // A month later their rows go to others, and all of their messages have expired.
        let later = now.milliseconds + 31 * 24 * hour
        try site.window.confirm(later)
        for number: UInt64 in 1...60 {
            let sender = ProbeMessages.sender(50_000 + number)
            let stamp = MessageStamp(number, from: sender, sentAt: later)
            #expect(try site.window.claim(stamp, now: now).isNew)
            #expect(try site.window.row(of: sender)?.count == 1)
        }
        for (index, sender) in senders.enumerated() {
            #expect(try site.window.claim(MessageStamp(UInt64(index), from: sender), now: now) == .tooOld)
        }
    }
}
