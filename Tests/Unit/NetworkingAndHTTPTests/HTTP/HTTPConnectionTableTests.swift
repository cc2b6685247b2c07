import Testing

@testable import HTTP
@testable import Networking

@Suite struct HTTPConnectionTableTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private static let start = time(0)
    /// Time from which connections of one network make room for others of it.
    private static let later = time(1_000)

    @Test func `connections are counted in all and for each address`() {
        var table = HTTPConnectionTable(countMax: 3, countPerNetworkMax: 2)
        let first = table.insert("192.0.2.1", at: Self.start)
        _ = table.insert("192.0.2.1", at: Self.start)
        #expect(table.admission(of: "192.0.2.1", at: Self.start) == .refused)
        #expect(table.admission(of: "192.0.2.2", at: Self.start) == .admitted)
        table.remove(first)
        table.remove(first)
        #expect(table.admission(of: "192.0.2.1", at: Self.start) == .admitted && table.count == 1)
    }

    @Test func `a network of IPv6 counts as one address, to 56 bits`() {
        var table = HTTPConnectionTable(countMax: 9, countPerNetworkMax: 1)
        let first = table.insert("2001:db8::1", at: Self.start)
        #expect(table.admission(of: "2001:db8:0:ff::2", at: Self.start) == .refused)
        #expect(table.admission(of: "2001:db8:0:100::2", at: Self.start) == .admitted)
        table.remove(first)
        #expect(table.admission(of: "2001:db8::2", at: Self.start) == .admitted)
    }

    @Test func `the oldest without a handshake makes room, then the oldest without a key, and none with one`() {
        var table = HTTPConnectionTable(countMax: 5, countPerNetworkMax: 9)
        let ids = (1...5).map { table.insert("192.0.2.\($0)", at: Self.start) }
        for id in [ids[3], ids[0], ids[1]] { table.move(id, to: .keyless, at: Self.start) }
        table.move(ids[1], to: .keyed, at: Self.start)
        for expected in [ids[2], ids[4], ids[3], ids[0]] {
            #expect(table.admission(of: "192.0.2.9", at: Self.start) == .inPlaceOf(expected))
            table.remove(expected)
            let next = table.insert("192.0.2.9", at: Self.start)
            table.move(next, to: .keyed, at: Self.start)
        }
        #expect(table.admission(of: "192.0.2.9", at: Self.later) == .refused && table.oldest == nil)
    }

    @Test func `a network that is full makes room from its own, once they have had a moment`() {
        var table = HTTPConnectionTable(countMax: 9, countPerNetworkMax: 3)
        _ = table.insert("192.0.2.2", at: Self.start)
        let ids = (0..<3).map { _ in table.insert("192.0.2.1", at: Self.start) }
        table.move(ids[2], to: .keyed, at: Self.start)
        table.move(ids[0], to: .keyless, at: Self.time(1))
        #expect(table.admission(of: "192.0.2.1", at: Self.time(999)) == .refused)
        #expect(table.admission(of: "192.0.2.1", at: Self.later) == .inPlaceOf(ids[1]))
        table.remove(ids[1])
        let fresh = table.insert("192.0.2.1", at: Self.later)
        // The new one's handshake is young; the older ones have no key.
        #expect(table.admission(of: "192.0.2.1", at: Self.time(1_001)) == .inPlaceOf(ids[0]))
        table.remove(ids[0])
        table.move(fresh, to: .keyed, at: Self.later)
        let last = table.insert("192.0.2.1", at: Self.later)
        table.move(last, to: .keyed, at: Self.later)
        #expect(table.admission(of: "192.0.2.1", at: Self.time(9_000)) == .refused)
    }

    @Test func `a proxy's connections count for no network and make no room`() {
        var table = HTTPConnectionTable(countMax: 3, countPerNetworkMax: 1)
        for _ in 0..<3 {
            #expect(table.admission(of: "10.0.0.1", isProxy: true, at: Self.start) == .admitted)
            _ = table.insert("10.0.0.1", isProxy: true, at: Self.start)
        }
        #expect(table.admission(of: "192.0.2.1", at: Self.later) == .refused)
        #expect(table.admission(of: "10.0.0.1", isProxy: true, at: Self.later) == .refused)
    }

    @Test func `what is said of a connection that is gone changes nothing`() {
        var table = HTTPConnectionTable(countMax: 1, countPerNetworkMax: 1)
        let first = table.insert("192.0.2.1", at: Self.start)
        table.remove(first)
        table.move(first, to: .keyless, at: Self.start)
        #expect(table.count == 0 && table.oldest == nil)
        #expect(table.admission(of: "192.0.2.1", at: Self.start) == .admitted)
    }
}
