import Testing

@testable import Networking

@Suite struct TicketCacheTests {
    private let one = TicketCache<Int>.Server(host: "one", port: 443)
    private let two = TicketCache<Int>.Server(host: "two", port: 443)

    @Test func `each ticket is given out once, the newest first`() {
        var shelf = TicketCache<Int>(ticketCountMax: 4, serverCountMax: 2)
        for ticket in 1...3 { shelf.put(ticket, for: one) }
        #expect([shelf.take(for: one), shelf.take(for: one), shelf.take(for: one)] == [3, 2, 1])
        #expect(shelf.take(for: one) == nil)
        #expect(shelf.serverCount == 0)
    }

    @Test func `of too many tickets the oldest goes`() {
        var shelf = TicketCache<Int>(ticketCountMax: 2, serverCountMax: 2)
        for ticket in 1...5 { shelf.put(ticket, for: one) }
        #expect(shelf.count(for: one) == 2)
        #expect([shelf.take(for: one), shelf.take(for: one)] == [5, 4])
    }

    @Test func `a ticket is for one host and port only`() {
        var shelf = TicketCache<Int>(ticketCountMax: 2, serverCountMax: 4)
        shelf.put(1, for: one)
        #expect(shelf.take(for: two) == nil)
        #expect(shelf.take(for: .init(host: "one", port: 2197)) == nil)
        #expect(shelf.take(for: .init(host: "ONE", port: 443)) == nil)
        #expect(shelf.take(for: one) == 1)
    }

    @Test func `of too many servers the one that gave nothing for longest goes`() {
        var shelf = TicketCache<Int>(ticketCountMax: 2, serverCountMax: 2)
        shelf.put(1, for: one)
        shelf.put(2, for: two)
        shelf.put(3, for: one)
        let three = TicketCache<Int>.Server(host: "three", port: 443)
        shelf.put(4, for: three)
        #expect(shelf.serverCount == 2)
        #expect(shelf.take(for: two) == nil)
        #expect(shelf.take(for: one) == 3)
        #expect(shelf.take(for: three) == 4)
    }

    @Test func `a server's tickets can go all at once`() {
        var shelf = TicketCache<Int>(ticketCountMax: 2, serverCountMax: 2)
        shelf.put(1, for: one)
        shelf.put(2, for: one)
        shelf.put(3, for: two)
        shelf.removeAll(for: one)
        #expect(shelf.take(for: one) == nil)
        #expect(shelf.take(for: two) == 3)
    }
}
