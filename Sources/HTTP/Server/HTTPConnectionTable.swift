private import Glibc
import Networking

/// Server's connections, with the next to be evicted. A value: the clock is the caller's.
///
/// A connection without a finished handshake costs its maker a SYN, one without a valid key a handshake. At a limit
/// both are evicted, oldest first; one with a valid key is not.
struct HTTPConnectionTable {
    typealias ID = Int

    enum Standing {
        case handshaking
        case keyless
        case keyed
    }

    enum Admission: Equatable {
        case admitted
        /// Admitted once that one is closed.
        case inPlaceOf(ID)
        case refused
    }

    private struct Row {
        /// Nil if it counts for no network.
        let network: String?
        var standing: Standing
        var since: MonotonicTime
    }

    /// Connections of the server, or of one network, that may be evicted.
    private struct Group {
        var count = 0
        var handshaking = ArrivalOrder()
        var keyless = ArrivalOrder()

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

    /// Minimum age before eviction by the same network. Else a crowd behind one address would evict each other's
    /// requests for ever.
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

    /// Evicted when the system has no room for another; nil: all had a valid key.
    var oldest: ID? { all.candidates.first }

    /// - Parameter isProxy: True if the address stands for many clients.
    func admission(of host: String, isProxy: Bool = false, at now: MonotonicTime) -> Admission {
        if !isProxy, let group = networks[Self.network(host)], group.count >= countPerNetworkMax {
            let id = group.candidates.first { id in rows[id].map { $0.since + Self.patience <= now } ?? false }
            return id.map { .inPlaceOf($0) } ?? .refused
        }
        guard count >= countMax else { return .admitted }
        return oldest.map { .inPlaceOf($0) } ?? .refused
    }

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

    /// Records a connection's progress. Steps back and closed connections are ignored.
    mutating func move(_ id: ID, to standing: Standing, at now: MonotonicTime) {
        guard let row = rows[id], row.standing != .keyed, row.standing != standing else { return }
        remove(id, row.network, row.standing)
        rows[id] = Row(network: row.network, standing: standing, since: now)
        insert(id, row.network, standing)
    }

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

    /// IPv4 address, or the first 56 bits of an IPv6 one: a household's usual share, with 256 networks of 64 bits.
    static func network(_ host: String) -> String {
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, host, &address) == 1 else { return host }
        return unsafe withUnsafeBytes(of: address) { bytes in
            unsafe bytes.prefix(7).map { String($0, radix: 16) }.joined(separator: ":")
        }
    }
}

/// Connections by arrival: a linked list, to find and remove each in constant time.
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
