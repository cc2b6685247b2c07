import Testing

@testable import APNS

struct LegacySentRingTests {
    private static func ring(_ identifiers: ClosedRange<UInt32>, capacity: Int = 10) -> LegacySentRing<UInt32> {
        var ring = LegacySentRing<UInt32>(capacity: capacity)
        for identifier in identifiers { ring.append(identifier * 10, identifier: identifier) }
        return ring
    }

    @Test(arguments: 1...5 as ClosedRange<UInt32>)
    func `a mistake proves what came before and discards what came after`(_ identifier: UInt32) {
        var ring = Self.ring(1...5)
        let settlement = ring.settle(LegacyErrorPacket(status: .invalidToken, identifier: identifier))
        #expect(settlement.accepted == (1..<identifier).map { $0 * 10 })
        #expect(settlement.refused == identifier * 10)
        #expect(settlement.resend == (1...5).filter { $0 > identifier }.map { $0 * 10 })
        #expect(settlement.isIdentifierKnown && ring.count == 0)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt32>)
    func `a shutdown names the last one that was taken, and blames nobody`(_ identifier: UInt32) {
        var ring = Self.ring(1...5)
        let settlement = ring.settle(LegacyErrorPacket(status: .shutdown, identifier: identifier))
        #expect(settlement.accepted == (1...identifier).map { $0 * 10 })
        #expect(settlement.refused == nil)
        #expect(settlement.resend == (1...5).filter { $0 > identifier }.map { $0 * 10 })
    }

    @Test func `only the last ones are remembered, in order`() {
        for count in 1...12 as ClosedRange<UInt32> {
            var ring = Self.ring(1...count, capacity: 4)
            #expect(ring.count == min(4, Int(count)))
            #expect(ring.removeAll() == (1...count).suffix(4).map { $0 * 10 })
            #expect(ring.count == 0)
        }
    }

    @Test func `a packet about something forgotten discards all that is remembered`() {
        var ring = Self.ring(1...9, capacity: 4)
        let settlement = ring.settle(LegacyErrorPacket(status: .invalidToken, identifier: 3))
        #expect(!settlement.isIdentifierKnown && settlement.refused == nil && settlement.accepted.isEmpty)
        #expect(settlement.resend == [60, 70, 80, 90])
    }

    @Test func `the ring is empty after a packet, and can be used for the next connection`() {
        var ring = Self.ring(1...9, capacity: 4)
        _ = ring.settle(LegacyErrorPacket(status: .invalidToken, identifier: 7))
        ring.append(1, identifier: 1)
        ring.append(2, identifier: 2)
        #expect(ring.settle(LegacyErrorPacket(status: .invalidToken, identifier: 2)).accepted == [1])
    }
}
