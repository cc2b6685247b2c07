private import Glibc

/// The connections of a server: how many there are, from which networks, and which one makes room for the next.
///
/// Connections without a finished handshake cost their maker a SYN, and those without a valid key a handshake. So both are
/// closed for new ones when all that may be are there, the oldest first; a connection that had a valid key is not. A value: the
/// clock is the caller's.
struct HTTPConnectionTable {
    typealias ID = Int

    /// How far a connection has come.
    enum Standing {
        case handshaking
        /// Its handshake is done, and no request of it had a valid key.
        case keyless
        /// A request of it had one.
        case keyed
    }

    /// What becomes of a connection that comes.
    enum Admission: Equatable {
        case admitted
        /// It is, once that one is closed.
        case inPlaceOf(ID)
        case refused
    }

    private struct Row {
        /// Nil where it does not count for one.
        let network: String?
        var standing: Standing
        var since: MonotonicTime
    }

    /// Those of the server, or of one network, that may be closed for others.
    private struct Group {
        var count = 0
        var handshaking = ArrivalOrder()
        var keyless = ArrivalOrder()

        /// Closed for others in this order.
        var candidates: [ID] { [handshaking.first, keyless.first].compactMap { $0 } }

        mutating func insert(_ id: ID, as standing: Standing) {
            switch standing {
            case .handshaking: handshaking.append(id)
            case .keyless: keyless.append(id)
            case .keyed: break
            }
        }

        mutating func remove(_ id: ID, as standing: Standing) {
            switch standing {
            case .handshaking: handshaking.remove(id)
            case .keyless: keyless.remove(id)
            case .keyed: break
            }
        }
    }

    /// A network's connections are closed for others of the same network after this time only. Else a crowd behind one
    /// address would push out each other's handshakes and requests, and none would come to its end.
    static let patience = Duration.seconds(1)

    var countMax: Int
    var countPerNetworkMax: Int
    private var lastID = 0
    private var rows: [ID: Row] = [:]
    private var all = Group()
    private var networks: [String: Group] = [:]

    init(countMax: Int, countPerNetworkMax: Int) {
        self.countMax = countMax
        self.countPerNetworkMax = countPerNetworkMax
    }

    var count: Int { rows.count }

    /// The connection that makes room when the system has none for another; nil: all have had a valid key.
    var oldest: ID? { all.candidates.first }

    /// - Parameters:
    ///   - host: the address that a connection comes from.
    ///   - isProxy: whether it stands for many clients.
    ///   - now: the time.
    /// - Returns: what is to become of it.
    func admission(of host: String, isProxy: Bool = false, at now: MonotonicTime) -> Admission {
        if !isProxy, let group = networks[Self.network(host)], group.count >= countPerNetworkMax {
            let id = group.candidates.first { id in rows[id].map { $0.since + Self.patience <= now } ?? false }
            return id.map { .inPlaceOf($0) } ?? .refused
        }
        guard count >= countMax else { return .admitted }
        return oldest.map { .inPlaceOf($0) } ?? .refused
    }

    /// A connection is there, and its handshake begins.
    mutating func insert(_ host: String, isProxy: Bool = false, at now: MonotonicTime) -> ID {
        lastID += 1
        let network = isProxy ? nil : Self.network(host)
        rows[lastID] = Row(network: network, standing: .handshaking, since: now)
        if let network { networks[network, default: Group()].count += 1 }
        insert(lastID, network, .handshaking)
        // A named proxy is as good as a key.
        if isProxy { move(lastID, to: .keyed, at: now) }
        return lastID
    }

    /// A connection has come further. Steps back are none, and neither is what is said of one that is gone.
    mutating func move(_ id: ID, to standing: Standing, at now: MonotonicTime) {
        guard let row = rows[id], row.standing != .keyed, row.standing != standing else { return }
        remove(id, row.network, row.standing)
        rows[id] = Row(network: row.network, standing: standing, since: now)
        insert(id, row.network, standing)
    }

    /// A connection is gone, or is about to be. Harmless when it is repeated.
    mutating func remove(_ id: ID) {
        guard let row = rows.removeValue(forKey: id) else { return }
        remove(id, row.network, row.standing)
        guard let network = row.network else { return }
        networks[network]?.count -= 1
        if networks[network]?.count == 0 { networks[network] = nil }
    }

    private mutating func insert(_ id: ID, _ network: String?, _ standing: Standing) {
        all.insert(id, as: standing)
        if let network { networks[network]?.insert(id, as: standing) }
    }

    private mutating func remove(_ id: ID, _ network: String?, _ standing: Standing) {
        all.remove(id, as: standing)
        if let network { networks[network]?.remove(id, as: standing) }
    }

    /// An IPv4 address, or the first 56 bits of one of IPv6: what a household is given, and 256 networks of 64 bits.
    static func network(_ host: String) -> String {
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, host, &address) == 1 else { return host }
        return unsafe withUnsafeBytes(of: address) { bytes in
            unsafe bytes.prefix(7).map { String($0, radix: 16) }.joined(separator: ":")
        }
    }
}

/// Connections in the order in which they came, as a linked list: each is found and removed in constant time.
private struct ArrivalOrder {
    private struct Link {
        var before: HTTPConnectionTable.ID?
        var after: HTTPConnectionTable.ID?
    }

    private(set) var first: HTTPConnectionTable.ID?
    private var last: HTTPConnectionTable.ID?
    private var links: [HTTPConnectionTable.ID: Link] = [:]

    mutating func append(_ id: HTTPConnectionTable.ID) {
        links[id] = Link(before: last, after: nil)
        if let last { links[last]?.after = id } else { first = id }
        last = id
    }

    mutating func remove(_ id: HTTPConnectionTable.ID) {
        guard let link = links.removeValue(forKey: id) else { return }
        if let before = link.before { links[before]?.after = link.after } else { first = link.after }
        if let after = link.after { links[after]?.before = link.before } else { last = link.before }
    }
}
