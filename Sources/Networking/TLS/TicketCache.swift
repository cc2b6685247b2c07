/// Client's tickets: a few per server, newest first, each used once.
struct TicketCache<Ticket> {
    /// A server by the name that its certificate was checked for.
    struct Server: Hashable {
        let host: String
        /// 0 if unknown.
        let port: UInt16
    }

    let ticketCountMax: Int
    let serverCountMax: Int
    private var tickets: [Server: [Ticket]] = [:]
    /// Latest ticket last.
    private var servers: [Server] = []

    /// Drops a server's oldest ticket at its limit, and the server without a new ticket for longest at the other.
    init(ticketCountMax: Int, serverCountMax: Int) {
        precondition(ticketCountMax > 0 && serverCountMax > 0)
        self.ticketCountMax = ticketCountMax
        self.serverCountMax = serverCountMax
    }

    mutating func put(_ ticket: Ticket, for server: Server) {
        servers.removeAll { $0 == server }
        if servers.count == serverCountMax { tickets[servers.removeFirst()] = nil }
        servers.append(server)
        tickets[server, default: []].append(ticket)
        if tickets[server, default: []].count > ticketCountMax { tickets[server]?.removeFirst() }
    }

    mutating func take(for server: Server) -> Ticket? {
        guard let ticket = tickets[server]?.popLast() else { return nil }
        if tickets[server]?.isEmpty == true { removeAll(for: server) }
        return ticket
    }

    mutating func removeAll(for server: Server) {
        tickets[server] = nil
        servers.removeAll { $0 == server }
    }

    func count(for server: Server) -> Int { tickets[server]?.count ?? 0 }

    var serverCount: Int { servers.count }
}
