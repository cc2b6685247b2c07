/// What servers gave a client to come back with: a few for each server, the newest first, each given out once.
struct TicketShelf<Ticket> {
    /// Which server. The name is the one that the certificate was checked for.
    struct Server: Hashable {
        let host: String
        /// 0 where nobody told.
        let port: UInt16
    }

    let ticketCountMax: Int
    let serverCountMax: Int
    private var tickets: [Server: [Ticket]] = [:]
    /// The one that gave something last stands last.
    private var servers: [Server] = []

    /// - Parameters:
    ///   - ticketCountMax: for each server; the oldest goes.
    ///   - serverCountMax: the server that gave nothing for longest goes.
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

    /// The newest one, which is then gone.
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
